/** A worker of the render pool: it makes each page's capture row, rendered where it is HTML. */

import { captureRow, RowBatch } from "../capture/mod.ts";
import { decodeBody, decodeText, loadDetector } from "../net/mod.ts";
import { type AssembleRow, serveRenderPool } from "../render/mod.ts";
import { decodeFacts, type RowSetup } from "./_recrawl_facts.ts";

const NOTHING = new Uint8Array(0);
/** A spare buffer beyond this is not kept. */
const KEEP = 4 << 20;

function assembler(setup: unknown): AssembleRow {
  const { storeBody } = setup as RowSetup;
  const batch = new RowBatch();
  let spare = new ArrayBuffer(1 << 16);
  return (page, outcome, allocate) => {
    const facts = decodeFacts(page.rest);
    const rendered = outcome.page;
    // a body that is no whole stream of its coding is kept as it came
    const body = storeBody === "none"
      ? NOTHING
      : storeBody === "decoded" && outcome.whole
      ? outcome.decoded
      : page.body;
    const reasons = [
      facts.reason ?? "",
      outcome.decodeError,
      outcome.failed === "" ? "" : `not rendered: ${outcome.failed}`,
    ].filter((reason) => reason !== "");
    batch.add(captureRow({
      ...facts,
      digest: outcome.digest,
      body,
      ...(page.contentEncoding === "" ? {} : { decodedLength: outcome.decoded.length }),
      ...(outcome.bounded ? { truncated: "length" as const } : {}),
      ...(reasons.length === 0 ? {} : { reason: reasons.join("; ") }),
      ...(rendered === undefined ? {} : {
        robotsMeta: [...facts.robotsMeta ?? [], ...rendered.links.robotsMeta],
        rendered,
      }),
    }));
    const packed = batch.take(spare);
    const row = allocate(packed.length);
    row.set(packed);
    if (packed.buffer.byteLength <= KEEP) spare = packed.buffer;
    else spare = new ArrayBuffer(1 << 16);
    return row;
  };
}

await serveRenderPool({ decodeBody, decodeText, loadDetector, assembler });
