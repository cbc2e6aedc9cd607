/**
 * What the HTML standard says about element names, as sets: which are empty, which are blocks, which
 * end others without an end tag.
 *
 * @module
 */

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Elements without content (HTML standard, 13.1.2, and the obsolete ones). */
export const VOID: ReadonlySet<string> = set(
  "area base basefont bgsound br col embed frame hr img input link meta param source track wbr",
);

/** Elements that begin a new line. */
export const BLOCK: ReadonlySet<string> = set(
  "address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption figure footer " +
    "form h1 h2 h3 h4 h5 h6 header hgroup hr html li listing main menu nav ol p plaintext pre search section summary " +
    "table tbody td tfoot th thead tr ul xmp",
);

/** Start tags that end an open `p` (13.2.6.4.7). */
export const ENDS_PARAGRAPH: ReadonlySet<string> = set(
  "address article aside blockquote center dd details dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 " +
    "h5 h6 header hgroup hr li listing main menu nav ol p plaintext pre search section table ul xmp",
);

/** Elements that hold nothing to read: code, controls, embedded things, what is inert. */
export const UNREAD: ReadonlySet<string> = set(
  "applet audio button canvas datalist dialog iframe map math noembed noframes noscript object script select style " +
    "svg template textarea video",
);

export const HEADING: ReadonlySet<string> = set("h1 h2 h3 h4 h5 h6");

/** The parts of a table; their end tags reach through open cells. */
export const TABLE_PART: ReadonlySet<string> = set("table tbody td tfoot th thead tr caption");

/** Start tag: the open elements it ends, and those beyond which it does not look. */
export const IMPLIED_END: ReadonlyMap<
  string,
  { readonly ends: ReadonlySet<string>; readonly within: ReadonlySet<string> }
> = new Map(
  ([
    ["li", "li", "ul ol menu dir table"],
    ["dt", "dt dd", "dl table"],
    ["dd", "dt dd", "dl table"],
    ["tr", "tr td th caption", "table"],
    ["td", "td th caption", "tr table"],
    ["th", "td th caption", "tr table"],
    ["tbody", "tr td th tbody thead tfoot caption", "table"],
    ["thead", "tr td th tbody thead tfoot caption", "table"],
    ["tfoot", "tr td th tbody thead tfoot caption", "table"],
    ["a", "a", "td th table"],
  ] as const).map(([tag, ends, within]) => [tag, { ends: set(ends), within: set(within) }]),
);
