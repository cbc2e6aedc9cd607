/** A worker that renders pages of archives: a row is JSON of what was asked for. */

import { decodeBody, decodeText, loadDetector } from "../net/mod.ts";
import { type AssembleRow, serveRenderPool } from "../render/mod.ts";
import type { PageRow, Wanted } from "./_renderer.ts";

const encoder = new TextEncoder();

function assembler(setup: unknown): AssembleRow {
  const wanted = setup as Wanted;
  return (page, outcome, allocate) => {
    const rendered = outcome.page;
    const row: PageRow = {
      key: page.key,
      rendered: rendered === undefined ? undefined : {
        title: rendered.title,
        text: wanted.text ? rendered.text : "",
        markdown: wanted.markdown ? rendered.markdown : "",
        wordCount: rendered.wordCount,
        language: rendered.language,
        confidence: rendered.languageConfidence,
        base: rendered.links.base,
        links: wanted.links ? rendered.links.links.map(({ href }) => href) : [],
      },
      failed: outcome.failed,
    };
    const bytes = encoder.encode(JSON.stringify(row));
    const out = allocate(bytes.length);
    out.set(bytes);
    return out;
  };
}

await serveRenderPool({ decodeBody, decodeText, loadDetector, assembler });
