import assert from "node:assert/strict";
import { decodeHTML, decodeHTMLAttribute } from "entities/decode";
import { Tokenizer } from "htmlparser2";
import { tokenize } from "../../lib/render/_tokens.ts";

/** What a page is read as, in words; text in one piece between two tags. */
class Log {
  readonly lines: string[] = [];
  #text = "";
  #tag = "";

  text(text: string): void {
    this.#text += text;
  }
  startTag(name: string): void {
    this.#flush();
    this.#tag = `<${name.toLowerCase()}`;
  }
  attribute(name: string, value: string): void {
    this.#tag += ` ${name.toLowerCase()}=${JSON.stringify(value)}`;
  }
  openTag(selfClosing: boolean): void {
    this.lines.push(this.#tag + (selfClosing ? "/>" : ">"));
  }
  endTag(name: string): void {
    this.#flush();
    this.lines.push(`</${name.toLowerCase()}>`);
  }
  end(): string[] {
    this.#flush();
    return this.lines;
  }
  #flush(): void {
    if (this.#text !== "") this.lines.push(JSON.stringify(this.#text));
    this.#text = "";
  }
}

function ours(source: string): string[] {
  const log = new Log();
  tokenize(source, {
    stopped: false,
    text(start, end, raw) {
      const text = source.slice(start, end);
      log.text(raw ? text : decodeHTML(text));
    },
    startTag(start, end) {
      log.startTag(source.slice(start, end));
      return true;
    },
    attribute(nameStart, nameEnd, valueStart, valueEnd) {
      const value = decodeHTMLAttribute(source.slice(valueStart, valueEnd));
      log.attribute(source.slice(nameStart, nameEnd), value);
    },
    openTag: (selfClosing) => log.openTag(selfClosing),
    endTag: (start, end) => log.endTag(source.slice(start, end)),
  });
  return log.end();
}

function theirs(source: string): string[] {
  const log = new Log();
  let name = "", value = "";
  const nothing = () => {};
  const tokenizer = new Tokenizer({ decodeEntities: true }, {
    ontext: (start, end) => log.text(source.slice(start, end)),
    ontextentity: (point) => log.text(String.fromCodePoint(point)),
    onopentagname: (start, end) => log.startTag(source.slice(start, end)),
    onattribname: (start, end) => {
      name = source.slice(start, end);
      value = "";
    },
    onattribdata: (start, end) => value += source.slice(start, end),
    onattribentity: (point) => value += String.fromCodePoint(point),
    onattribend: () => log.attribute(name, value),
    onopentagend: () => log.openTag(false),
    onselfclosingtag: () => log.openTag(true),
    onclosetag: (start, end) => log.endTag(source.slice(start, end)),
    oncomment: nothing,
    oncdata: nothing,
    ondeclaration: nothing,
    onprocessinginstruction: nothing,
    onend: nothing,
  });
  tokenizer.write(source);
  tokenizer.end();
  return log.end();
}

const PIECES = [
  ..."<>/!?-=\"' &;#aZ1\n\t[]",
  ..."<p> </p> <a href= <b/> <br /> </ <! <!-- --> --!> <!--> <!doctype html> <? ?> <![CDATA[ ]]> < <<"
    .split(
      " ",
    ),
  ..."<script> </script> </SCRIPT > <style> </style> <title> </title> <textarea> </textarea> <xmp> </xmp>"
    .split(
      " ",
    ),
  ..."<iframe> </iframe> <noembed> </noembed> <noframes> </noframes> <plaintext> <titles> <scripty>"
    .split(
      " ",
    ),
  ...'class="x y" id=\'q\' href=/x?a=1&amp;b=2 hidden title="a>b" x=&lt; y="&notit;" z=&copy'.split(
    " ",
  ),
  ..."&amp; &amp &lt &copy &notin; &not; &#65; &#x41; &#x &#0; &#1114112; &nosuch; &ampx one two"
    .split(" "),
];

Deno.test("tokenize() reads soup as htmlparser2 does", () => {
  let seed = 1;
  const next = (n: number) => {
    seed = Math.imul(seed, 1103515245) + 12345 | 0;
    return (seed >>> 8) % n;
  };
  for (let round = 0; round < 40_000; round++) {
    let source = "";
    for (let i = 1 + next(14); i > 0; i--) {
      source += PIECES[next(PIECES.length)]! + (next(3) === 0 ? " " : "");
    }
    // The standard, and we, take `<b / >` for an open tag.
    source = source.replace(/\/\s+>/g, ">");
    // It passes over a reference in a title right after what might have been an end tag.
    source = source.replace(/(<\/?[a-z]*)&/gi, "$1 &");
    // What it makes of an end tag that the page ends in is an accident.
    source += "z>";
    assert.deepEqual(ours(source), theirs(source), JSON.stringify(source));
  }
});

Deno.test("tokenize() takes a tag for closing itself only when its slash stands before the >", () => {
  assert.deepEqual(ours("<b/><i / ><a href=x/>"), ["<b/>", "<i>", '<a href="x/">']);
});

Deno.test("tokenize() ends where its sink has enough", () => {
  let seen = 0;
  const nothing = () => {};
  const sink = {
    stopped: false,
    text: nothing,
    startTag: () => false,
    attribute: nothing,
    openTag() {
      this.stopped = ++seen === 3;
    },
    endTag: nothing,
  };
  tokenize("<p>x".repeat(10), sink);
  assert.equal(seen, 3);
});
