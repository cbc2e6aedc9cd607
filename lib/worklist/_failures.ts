/**
 * The rows of an earlier pass that failed, as a work list.
 *
 * @module
 */

import { PartFormatError } from "./errors.ts";
import type { Part } from "./_part.ts";
import { parquetPart } from "./_parquet.ts";
import type { ByteSource } from "./_source.ts";

/** Whether a row's `error` is one that is asked for. */
export type FailureFilter = (error: string) => boolean;

/** A filter of these classes; `all` stands for every one. */
export function failureFilter(classes: readonly string[]): FailureFilter {
  if (classes.includes("all")) return (error) => error !== "";
  const wanted = new Set(classes);
  return (error) => wanted.has(error);
}

/** A Parquet file as a part; with a filter, a file of captures of which the failed rows are given. */
export function captureListPart(
  name: string,
  open: () => Promise<ByteSource>,
  column: string | undefined,
  failed: FailureFilter | undefined,
): Part {
  const urls = parquetPart(name, open, column);
  return failed === undefined ? urls : failuresOf(urls, parquetPart(name, open, "error"), failed);
}

/** Rows of `urls` whose `error`, by `errors`, is asked for. The others keep their numbers. */
function failuresOf(urls: Part, errors: Part, failed: FailureFilter): Part {
  return {
    name: urls.name,
    async *read(wanted) {
      const said = errors.read(wanted);
      let slice = await said.next();
      let at = 0;
      try {
        for await (const { row, values } of urls.read(wanted)) {
          const kept: (string | undefined | null)[] = new Array(values.length);
          for (let i = 0; i < values.length; i++, at++) {
            if (!slice.done && at === slice.value.values.length) {
              slice = await said.next();
              at = 0;
            }
            if (slice.done || slice.value.row + at !== row + i) {
              throw new PartFormatError(urls.name, "its columns are not of one length");
            }
            kept[i] = failed(slice.value.values[at] ?? "") ? values[i] : null;
          }
          yield { row, values: kept };
        }
      } finally {
        await said.return();
      }
    },
  };
}
