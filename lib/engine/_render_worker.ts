/** A worker of the render pool: it makes each page's capture row, rendered where it is HTML. */

import { captureRow, NO_ARCHIVE, RowBatch } from "../capture/mod.ts";
import { decodeBody, decodeText, loadDetector } from "../net/mod.ts";
import { type AssembleRow, serveRenderPool } from "../render/mod.ts";
import { directivesOf, readPage } from "./page.ts";
import { decodeFacts, type RowSetup } from "./_recrawl_facts.ts";

const NOTHING = new Uint8Array(0);
/** A spare buffer beyond this is not kept. */
const KEEP = 4 << 20;
const NO_BUFFER = new ArrayBuffer(0);

function assembler(setup: unknown): AssembleRow {
  const { storeBody, obeyRobotsMeta } = setup as RowSetup;
  let spare = new ArrayBuffer(1 << 16);
  return (page, outcome, allocate) => {
    const facts = decodeFacts(page.rest);
    const directives = [...facts.robotsMeta ?? []];
    if (outcome.page !== undefined) {
      directives.push(...outcome.page.links.robotsMeta.flatMap(directivesOf));
    } else if (obeyRobotsMeta && outcome.html) {
      const { url, contentType, contentEncoding, body } = page;
      const none = { location: "", robotsTag: "", bodyDigest: outcome.digest };
      const seen = readPage({
        url,
        status: facts.status,
        contentType,
        contentEncoding,
        body,
        ...none,
      });
      directives.push(...seen.directives);
    }
    const withheld = obeyRobotsMeta &&
      (directives.includes("noarchive") || directives.includes("none"));
    const rendered = withheld ? undefined : outcome.page;
    // a body that is no whole stream of its coding is kept as it came
    const body = withheld || storeBody === "none"
      ? NOTHING
      : storeBody === "decoded" && outcome.whole
      ? outcome.decoded
      : page.body;
    const reasons = withheld ? [NO_ARCHIVE] : [
      facts.reason ?? "",
      outcome.decodeError,
      outcome.failed === "" ? "" : `not rendered: ${outcome.failed}`,
    ].filter((reason) => reason !== "");
    // Of this row alone: whoever is stopped in here leaves none to the next.
    const batch = new RowBatch(spare);
    batch.add(captureRow({
      ...facts,
      digest: outcome.digest,
      body,
      ...(page.contentEncoding === "" ? {} : { decodedLength: outcome.decoded.length }),
      ...(outcome.bounded ? { truncated: "length" as const } : {}),
      ...(reasons.length === 0 ? {} : { reason: reasons.join("; ") }),
      ...(directives.length === 0 ? {} : { robotsMeta: [...new Set(directives)] }),
      ...(rendered === undefined ? {} : { rendered }),
    }));
    const packed = batch.take(NO_BUFFER);
    const row = allocate(packed.length);
    row.set(packed);
    spare = packed.buffer.byteLength <= KEEP ? packed.buffer : new ArrayBuffer(1 << 16);
    return row;
  };
}

await serveRenderPool({ decodeBody, decodeText, loadDetector, assembler });
