/**
 * Archives as work lists: the URLs of their responses.
 *
 * @module
 */

import { readWarcFile, WarcFormatError } from "../warc/mod.ts";
import { WorkListError } from "./errors.ts";
import type { Part } from "./_part.ts";
import { reason } from "./_source.ts";

const SLICE = 2048;

/**
 * A WARC file as a part. Rows are its response records; a damaged record is passed over. To come to a
 * row the records before it are read.
 */
export function warcPart(path: string): Part {
  return {
    name: path,
    async *read(wanted) {
      let row = 0;
      let next = 0;
      let start = 0;
      let values: string[] = [];
      try {
        for await (
          const { type, url } of readWarcFile(path, { maxContent: 0, onDamage: () => {} })
        ) {
          if (type !== "response" || !/^https?:/i.test(url)) continue;
          while (next < wanted.length && row >= wanted[next]!.end) next++;
          if (next === wanted.length) break;
          if (row >= wanted[next]!.start) {
            if (values.length === SLICE || (values.length > 0 && start + values.length !== row)) {
              yield { row: start, values };
              values = [];
            }
            if (values.length === 0) start = row;
            values.push(url);
          }
          row++;
        }
      } catch (cause) {
        if (
          !(cause instanceof WarcFormatError) &&
          !(cause as { code?: unknown })?.hasOwnProperty?.("code")
        ) {
          throw cause;
        }
        throw new WorkListError(`Cannot read the work list "${path}": ${reason(cause)}`, { cause });
      }
      if (values.length > 0) yield { row: start, values };
    },
  };
}
