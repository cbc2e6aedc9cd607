/**
 * HTML to what a crawl keeps of it: links, and the main content as Markdown and text.
 *
 * @module
 */

export * from "./links.ts";
