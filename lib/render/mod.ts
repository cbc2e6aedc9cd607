/**
 * HTML to what a crawl keeps of it: links, and the main content as Markdown and text.
 *
 * @example A page as Markdown
 * ```ts
 * import { loadMainRenderer } from "@ccrawl/cli/render";
 * import assert from "node:assert/strict";
 *
 * const render = await loadMainRenderer(); // once; then a few milliseconds a page
 * const page = render("<title>T</title><p>Some <b>text</b>.", { url: "https://example.com/" });
 * assert.deepEqual([page.title, page.markdown], ["T", "Some **text**."]);
 * ```
 *
 * @module
 */

export * from "./html.ts";
export * from "./links.ts";
export { runRenderChild } from "./_child.ts";
export { RENDER_CHILD_ARGUMENT } from "./child_argument.ts";
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
export * from "./pool.ts";
export * from "./pool_error.ts";
export type * from "./pool_options.ts";
export type * from "./pool_types.ts";
export { serveRenderPool } from "./pool_worker.ts";
export { decodePageRow, type PageRow } from "./page_row.ts";
export * from "./rows.ts";
