/**
 * Keeps pages away from libraries that would not survive them.
 *
 * @module
 */

import { Tokenizer } from "htmlparser2";
import { VOID } from "./_tags.ts";

const MOST_CHARACTERS = 5_000_000;
const MOST_ELEMENTS = 60_000;
const MOST_ATTRIBUTES = 300_000;
const DEEPEST = 256;

/** Their end tags may be left out, so that they do not nest when they are not closed. */
const OPTIONAL_END: ReadonlySet<string> = new Set(
  "p li dt dd tr td th thead tbody tfoot option optgroup colgroup rp rt html head body".split(" "),
);

/** Why a page is not given to a general DOM library; undefined when it may be. */
export function screen(html: string): string | undefined {
  if (html.length > MOST_CHARACTERS) return `it is longer than ${MOST_CHARACTERS} characters`;
  let elements = 0, attributes = 0, depth = 0;
  let reason: string | undefined;
  const nothing = () => {};
  const refuse = (why: string) => {
    reason ??= why;
    tokenizer.pause();
  };
  const tokenizer = new Tokenizer({ decodeEntities: false }, {
    onopentagname(start, end) {
      if (++elements > MOST_ELEMENTS) refuse(`it has more than ${MOST_ELEMENTS} elements`);
      const name = html.slice(start, Math.min(end, start + 16)).toLowerCase();
      if (VOID.has(name) || OPTIONAL_END.has(name)) return;
      if (++depth > DEEPEST) refuse(`its elements nest deeper than ${DEEPEST}`);
    },
    onclosetag(start, end) {
      if (
        depth > 0 && !OPTIONAL_END.has(html.slice(start, Math.min(end, start + 16)).toLowerCase())
      ) depth--;
    },
    onattribname() {
      if (++attributes > MOST_ATTRIBUTES) refuse(`it has more than ${MOST_ATTRIBUTES} attributes`);
    },
    onattribdata: nothing,
    onattribentity: nothing,
    onattribend: nothing,
    onopentagend: nothing,
    onselfclosingtag() {
      depth = Math.max(0, depth - 1);
    },
    ontext: nothing,
    ontextentity: nothing,
    oncomment: nothing,
    oncdata: nothing,
    ondeclaration: nothing,
    onprocessinginstruction: nothing,
    onend: nothing,
  });
  tokenizer.write(html);
  return reason;
}
