/**
 * HTML to what a crawl keeps of it: links, and the main content as Markdown and text.
 *
 * @module
 */

export * from "./links.ts";
export * from "./render.ts";
export * from "./language.ts";
export * from "./simhash.ts";
export * from "./words.ts";
export * from "./isolated.ts";
