/**
 * Options of the commands that read a rank table: `crawl seed` and `sched assign`.
 *
 * @module
 */

import { DATA_ENDPOINT, RELEASES_PAGE } from "../../seeds/places.ts";
import { releaseMonth } from "../../webgraph/release.ts";
import { type OptionTable, value } from "../options/spec.ts";
import { type OptionType, path, text } from "../options/types.ts";

/** Their resolved values. */
export interface RankOptions {
  /** A release, or `latest`. */
  readonly graph: string;
  /** Path, URL or `-`. */
  readonly ranks: string | undefined;
  /** Path or `-`. */
  readonly rates: string | undefined;
  readonly dataEndpoint: string;
  readonly releasesPage: string;
}

/** The table of them. */
export const rankOptions: OptionTable<RankOptions> = {
  graph: value(release(), "latest", "Web-graph release whose host ranks are read"),
  ranks: value(
    path("FILE|URL", { stdin: true }),
    undefined,
    "Rank table of your own, packed by gzip or not, instead of a release's",
  ),
  rates: value(
    path("FILE", { stdin: true }),
    undefined,
    "Measured change rates: host and change_rate, as sched diff and sched rates write them",
  ),
  dataEndpoint: value(text("URL"), DATA_ENDPOINT, "Where releases are served"),
  releasesPage: value(text("URL"), RELEASES_PAGE, "Page that links to each release"),
};

function release(): OptionType<string> {
  const any = text("RELEASE");
  return {
    ...any,
    parse(given) {
      if (given !== "latest" && releaseMonth(given) === undefined) {
        throw new RangeError(
          "not a release; write latest, or a name such as cc-main-2026-mar-apr-may",
        );
      }
      return any.parse(given);
    },
  };
}
