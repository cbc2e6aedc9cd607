/**
 * HTML to what a crawl keeps of it: links, and the main content as Markdown and text.
 *
 * @module
 */

export * from "./html.ts";
export * from "./links.ts";
export { runRenderChild } from "./_child.ts";
export {
  loadMainRenderer,
  MAIN_EXTRACTOR,
  type MainRenderer,
  type RenderedPage,
  type RenderLimits,
} from "./render.ts";
export type { TreeLimits } from "./tree.ts";
export * from "./page.ts";
export * from "./language.ts";
export * from "./simhash.ts";
export * from "./words.ts";
export * from "./isolated.ts";
