/**
 * `parse`: what archives and captures hold, as records.
 *
 * @module
 */

import { parseStatusRange } from "../../parse/status_range.ts";
import type { ParsedRecord, StatusRange } from "../../parse/types.ts";
import type { CommandSpec } from "../command.ts";
import { type GlobalOptions, workersType } from "../options/global.ts";
import { computed, flag, list } from "../options/spec.ts";
import { language, type OptionType, text } from "../options/types.ts";
import type { FieldSpec } from "../output/fields.ts";

/** Resolved options of `parse`. */
export interface ParseCommandOptions extends GlobalOptions {
  readonly type: readonly string[];
  readonly status: readonly StatusRange[];
  readonly mime: readonly string[];
  readonly lang: readonly string[];
  readonly url: readonly string[];
  readonly links: boolean;
  readonly text: boolean;
  readonly markdown: boolean;
  readonly meta: boolean;
  readonly workers: number;
}

/** Its arguments: files and folders, one or more; `-` is standard input. */
export interface ParseArguments {
  readonly paths: readonly string[];
}

const statusType: OptionType<StatusRange> = {
  placeholder: "200|2xx|300-399",
  parse: parseStatusRange,
  format: ({ first, last }) => (first === last ? String(first) : `${first}-${last}`),
};

type Field = FieldSpec & { readonly name: keyof ParsedRecord };

/** Fields of every record. */
const ALWAYS: readonly Field[] = [
  { name: "type", type: "string", help: "WARC-Type; of a capture response, revisit or failure" },
  { name: "url", type: "string", help: "target URI" },
  { name: "status", type: "integer", help: "HTTP status; 0 where there is none" },
  { name: "mime", type: "string", help: "type of the payload as served" },
  { name: "date", type: "string", help: "WARC-Date; of a capture when it was fetched" },
  { name: "record_id", type: "string", help: "id of the record, without brackets", table: false },
  { name: "payload_digest", type: "string", help: "digest of the payload", table: false },
  { name: "content_length", type: "integer", help: "bytes of the block, or of the stored body" },
  { name: "offset", type: "integer", help: "byte offset of the record; of a capture its row" },
];
const FILE: Field = { name: "file", type: "string", help: "the file, where several are read" };
const LINKS: readonly Field[] = [
  { name: "links", type: "json", help: "absolute links of the page", table: false },
  { name: "link_count", type: "integer", help: "how many" },
];
const TITLE: Field = { name: "title", type: "string", help: "title of the page" };
const TEXT: Field = { name: "text", type: "string", help: "main content as plain text" };
const MARKDOWN: Field = { name: "markdown", type: "string", help: "main content as Markdown" };
const WORDS: Field = { name: "word_count", type: "integer", help: "words of the text" };
const LANGUAGE: readonly Field[] = [
  { name: "language", type: "string", help: "ISO 639-3, detected or as the archive says" },
  { name: "language_confidence", type: "number", help: "0 to 1; 0 where the archive says it" },
];
const META: readonly Field[] = [
  { name: "warc_headers", type: "json", help: "fields of the WARC record", table: false },
  { name: "http_headers", type: "json", help: "fields of the HTTP message", table: false },
  { name: "metadata", type: "json", help: "what a metadata record says", table: false },
];

/** The fields that records have with these options. */
function fieldsOf(options: ParseCommandOptions & ParseArguments): Field[] {
  const { links, text, markdown, meta, lang } = options;
  return [
    ...ALWAYS,
    ...(readsSeveral(options.paths) ? [FILE] : []),
    ...(links ? LINKS : []),
    ...(text || markdown ? [TITLE] : []),
    ...(text ? [TEXT] : []),
    ...(markdown ? [MARKDOWN] : []),
    ...(text ? [WORDS] : []),
    ...(text || markdown || lang.length > 0 ? LANGUAGE : []),
    ...(meta ? META : []),
  ];
}

/** Whether records of more than one file may come; a folder has any number. */
function readsSeveral(paths: readonly string[]): boolean {
  if (paths.length !== 1) return true;
  try {
    return Deno.statSync(paths[0]!).isDirectory;
  } catch {
    return false; // that it cannot be read is told by who reads it
  }
}

/** The command. */
export const parse: CommandSpec<ParseCommandOptions, ParseArguments> = {
  brief: "Read WARC, WAT, WET and capture files",
  description: [
    "Writes a record for every record of an archive (one gzip member a record, one over the whole " +
    "file, or plain), or for every row of a capture file. Filters leave records out; one that is given " +
    "several values takes any of them. What is damaged is told with its offset, the next whole record " +
    "is read, and the exit code is 1. 3 when nothing was found.",
    "--text and --markdown render HTML as recrawl run does; of WET and of captures they give what is " +
    "there. A WAT record has the status, type, title and links of the page it describes. -o raw writes " +
    "payloads, with transfer and content coding undone.",
  ],
  args: {
    usage: "PATH…",
    help: "files, folders of them, and - for standard input",
    min: 1,
    max: Infinity,
    parse: (paths) => ({ paths }),
  },
  options: {
    type: list(text("TYPE"), "Records of this type: response, request, metadata, …", {
      commas: true,
    }),
    status: list(statusType, "Answers with this status", { commas: true }),
    mime: list(text("TYPE"), "Payloads of this type: text/html, image/*", { commas: true }),
    lang: list(language, "Pages in this language, by its ISO 639-3 code: eng, deu", {
      commas: true,
    }),
    url: list(
      text("PATTERN"),
      "URLs like this: https://example.com/* (* stands for anything), a SURT prefix, a regular expression",
    ),
    links: flag(false, "Give the links of pages"),
    text: flag(false, "Give the main content of pages as plain text"),
    markdown: flag(false, "Give it as Markdown"),
    meta: flag(false, "Give all headers, and what metadata records say"),
    workers: {
      ...computed(
        workersType,
        "the number of cores",
        () => navigator.hardwareConcurrency,
        "Pages rendered at once",
      ),
      short: "j",
    },
  },
  fields: [...ALWAYS, FILE, ...LINKS, TITLE, TEXT, MARKDOWN, WORDS, ...LANGUAGE, ...META],
  fieldsFor: fieldsOf,
  raw: true,
  examples: [
    ["ccrawl parse warc/ccrawl-crawl-00000.warc.gz --type response -o jsonl", "a record a line"],
    ["ccrawl parse x.warc.gz --mime text/html --status 200 --lang eng --markdown", "English pages"],
    [
      "ccrawl parse CC-MAIN-*.warc.wat.gz --links --fields url,links",
      "the link graph of WAT files",
    ],
    ["ccrawl parse captures/ --url 'https://example.com/*' --text", "a site's captures"],
    ["ccrawl parse x.warc.gz --url https://example.com/logo.png -o raw > logo.png", "one payload"],
  ],
};
