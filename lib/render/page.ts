import { loadIsolatedRenderer } from "./isolated.ts";
import { loadMainRenderer, type RenderedPage } from "./render.ts";

/** Options of {@linkcode renderPage}. */
export interface RenderPageOptions {
  /** Absolute URL of the page, against which its links resolve. */
  readonly url: string;
  /** What finds the content. @default "main" */
  readonly extractor?: "main" | "readability" | "raw";
}

/**
 * Render one page. For more than a few, load a renderer once: `loadMainRenderer` or
 * `loadIsolatedRenderer`.
 *
 * @throws {RenderError} With `readability` and `raw`, when the page is refused or takes too long.
 *
 * @example Usage
 * ```ts
 * import { renderPage } from "@ccrawl/cli/render";
 * import assert from "node:assert/strict";
 *
 * const page = await renderPage("<title>T</title><p>Some <b>text</b>.", { url: "https://a.example/" });
 * assert.equal(page.title, "T");
 * assert.equal(page.markdown, "Some **text**.");
 * ```
 */
export async function renderPage(html: string, options: RenderPageOptions): Promise<RenderedPage> {
  const { url, extractor = "main" } = options;
  if (extractor === "main") return (await loadMainRenderer())(html, { url });
  await using renderer = await loadIsolatedRenderer(extractor);
  return await renderer.render(html, { url });
}
