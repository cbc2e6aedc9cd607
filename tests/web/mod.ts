/**
 * The hostile local web: named hosts on loopback addresses with a name server of their own, in a process of
 * its own, that answer as real servers do and worse, and a log by which a crawl is judged at the server.
 * `README.md` has the tables of what hosts and paths do.
 *
 * @module
 */

export { LocalWeb, type RequestFilter, startWeb } from "./client.ts";
export type { Coverage } from "./_control.ts";
export type { AddressSummary, HostSummary, RequestEntry, WebSummary } from "./_log.ts";
export type { WebStats } from "./_web.ts";
export type { Ready } from "./main.ts";
export {
  DEFAULT_SCENARIO,
  type GraphKind,
  graphUrls,
  hostName,
  type Scenario,
  seedUrls,
} from "./scenario.ts";
export { type TraitGroup, TRAITS, type Traits, traitsOf } from "./traits.ts";
export { ODD_ANSWERS, type OddAnswer, oddBytes, type OddExpectation } from "./odd.ts";
export {
  CHARSET_WAYS,
  CHARSETS,
  type CharsetSample,
  CODED_TEXT,
  CODINGS,
  type CodingSample,
} from "./samples.ts";
export { PRIVATE_TARGETS } from "./targets.ts";
