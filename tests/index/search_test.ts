import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { IndexError } from "../../lib/index/errors.ts";
import { SearchIndex } from "../../lib/index/search.ts";
import { IndexWriter } from "../../lib/index/writer.ts";
import { Mount } from "../engine/_mount.ts";
import { build, document, find, inFolder } from "./_index.ts";

Deno.test("SearchIndex.search() takes words, phrases, beginnings and what must not be there", async () => {
  await inFolder((dir) => {
    build(dir, [
      document("https://a.example/", "concurrency in golang is not parallelism"),
      document("https://b.example/", "golang has channels; concurrent things talk over them"),
      document("https://c.example/", "rust has channels too"),
    ]);
    const letters = (query: string, any = false) =>
      find(dir, query, { any }).map((url) => url[8]).sort().join("");
    assert.equal(letters("golang"), "ab");
    assert.equal(letters("GoLang channels"), "b");
    assert.equal(letters("golang -channels"), "a");
    assert.equal(letters("concurr*"), "ab");
    assert.equal(letters('"golang is"'), "a");
    assert.equal(letters('"is golang"'), "");
    assert.equal(letters('has -"golang has"'), "c");
    assert.equal(letters("rust parallelism"), "");
    assert.equal(letters("rust parallelism", true), "ac");
    assert.equal(letters("golang!! ++ (channels)"), "b");
    assert.equal(letters("things-talk"), "b", "what is written together stands together");
    assert.equal(letters("talk-things"), "");
    assert.equal(letters('"not parallelism'), "a", "a quotation mark that is never closed");
    assert.equal(letters("example"), "", "hosts are no words of a document");
    return Promise.resolve();
  });
});

Deno.test("SearchIndex.search() ranks titles higher, and always in the same order", async () => {
  await inFolder((dir) => {
    const same = Array.from(
      { length: 30 },
      (_, i) => document(`https://same${(i * 7) % 30}.example/`, "a tie of words"),
    );
    build(dir, [
      document("https://text.example/", "a page about gardens and other things"),
      document("https://title.example/", "a page of some other things and words", {
        title: "Gardens",
      }),
      document("https://more.example/", "gardens gardens gardens and little else, it is"),
      ...same,
    ]);
    assert.deepEqual(find(dir, "gardens"), [
      "https://title.example/",
      "https://more.example/",
      "https://text.example/",
    ]);
    const ties = find(dir, "tie", { limit: 100 });
    assert.deepEqual(ties, same.map(({ url }) => url));
    assert.deepEqual(find(dir, "tie", { limit: 5 }), ties.slice(0, 5));
    build(dir, [document(same[3]!.url, "a tie of words", { title: "" })]);
    assert.deepEqual(find(dir, "tie", { limit: 100 }), ties);
    using index = new SearchIndex(dir);
    const scores = index.search("gardens").map(({ score }) => score);
    assert.ok(scores.every((score, i) => score > 0 && (i === 0 || score <= scores[i - 1]!)));
    return Promise.resolve();
  });
});

Deno.test("a document that was there is replaced, one that is the same is left alone", async () => {
  await inFolder((dir) => {
    using writer = new IndexWriter(dir);
    const old = document("https://a.example/", "old words", { title: "Old" });
    assert.equal(writer.add(old), "added");
    assert.equal(writer.add(document("https://b.example/", "other words")), "added");
    assert.equal(writer.add(old), "unchanged");
    assert.equal(writer.add({ ...old, text: "new sentence" }), "replaced");
    assert.equal(writer.add({ ...old, docId: "by id" }), "added");
    assert.equal(writer.add({ ...old, docId: "by id", language: "eng" }), "replaced");
    assert.throws(() => writer.add(document("", "x")), RangeError);
    assert.equal(writer.close().documents, 3);
    assert.deepEqual(
      find(dir, "words"),
      ["https://b.example/", "https://a.example/"].sort().reverse(),
    );
    assert.deepEqual(find(dir, "sentence"), ["https://a.example/"]);
    using index = new SearchIndex(dir);
    assert.equal(index.documents, 3);
    assert.deepEqual(index.search("old words").map(({ docId }) => docId), ["by id"]);
    using again = new IndexWriter(dir);
    assert.equal(again.documents, 3);
    assert.equal(again.add(document("https://c.example/", "third")), "added");
    again.optimize();
    again.close();
    assert.deepEqual(find(dir, "third"), ["https://c.example/"]);
    return Promise.resolve();
  });
});

Deno.test("words are found whatever their case, accents and script", async () => {
  await inFolder((dir) => {
    build(dir, [
      document("https://fr.example/", "Le CAFÉ naïf, cafe\u0301"),
      document("https://ja.example/", "私は東京都に住んでいます。コーヒー"),
      document("https://zh.example/", "北京大学在中国"),
      document("https://th.example/", "ฉันรักภาษาไทยมาก"),
      document("https://hi.example/", "हिन्दी भाषा"),
      document("https://he.example/", "שָׁלוֹם עולם"),
      document("https://ko.example/", "안녕하세요 세계"),
      document("https://wide.example/", "ＡＢＣ１２３ ﬁne"),
      document("https://ru.example/", "Ёлка и Йод"),
      document("https://el.example/", "οδός Αθηνάς"),
    ]);
    const language = (query: string) => find(dir, query).map((url) => url.slice(8, 12)).join(" ");
    for (const query of ["cafe", "Café", "CAFE\u0301", "naif"]) {
      assert.equal(language(query), "fr.e");
    }
    for (const query of ["東京", "京都", "東京都", "住んで", "コーヒー", "ーヒ"]) {
      assert.equal(language(query), "ja.e", query);
    }
    assert.equal(language("大学"), "zh.e");
    assert.equal(language("京大"), "zh.e");
    assert.equal(language("京東"), "");
    assert.equal(language("ภาษา"), "th.e");
    assert.equal(language("हिन्दी"), "hi.e");
    assert.equal(language("ह"), "", "a letter is no word of a longer one");
    assert.equal(language("שלום"), "he.e");
    assert.equal(language("세계".normalize("NFD")), "ko.e");
    assert.equal(language("abc123"), "wide");
    assert.equal(language("fine"), "wide");
    assert.equal(language("елка йод"), "ru.e");
    assert.equal(language("иод"), "", "a letter of its own");
    assert.equal(language("ΟΔΟΣ ΑΘΗΝΑΣ"), "el.e");
    return Promise.resolve();
  });
});

Deno.test("SearchIndex.search() filters by host and language", async () => {
  await inFolder((dir) => {
    const urls = [
      "https://example.com/",
      "https://www.example.com:8443/",
      "https://a.b.example.com/",
      "https://my-example.com/",
      "https://my.example.com/",
      "https://example.com.evil.test/",
      "https://192.0.2.7/",
      "https://[2001:db8::1]/",
      "https://a.b.c.d.e.f.g.h.i.deep.test/",
    ];
    build(
      dir,
      urls.map((url, i) => document(url, "word", { language: i % 2 === 0 ? "eng" : "deu" })),
    );
    const found = (host: string, languages: string[] = []) =>
      find(dir, "word", { host, languages }).map((url) => urls.indexOf(url)).join("");
    assert.equal(found("example.com"), "0124");
    assert.equal(found("EXAMPLE.com"), "0124");
    assert.equal(found("b.example.com"), "2");
    assert.equal(found("my-example.com"), "3");
    assert.equal(found("com"), "01234");
    assert.equal(found("xample.com"), "");
    assert.equal(found("a.b.c.d.e.f.g.h.i.deep.test"), "8");
    assert.equal(found("deep.test"), "8");
    assert.equal(found("192.0.2.7"), "6");
    assert.equal(found("[2001:db8::1]"), "7");
    assert.equal(found("example.com", ["eng"]), "024");
    assert.equal(found("example.com", ["eng", "deu"]), "0124");
    assert.equal(found("example.com", ["fra"]), "");
    assert.deepEqual(find(dir, "eng"), []);
    return Promise.resolve();
  });
});

Deno.test("snippets show where most of the words are, marked", async () => {
  await inFolder((dir) => {
    const filler = "lorem ipsum dolor sit amet ".repeat(40);
    build(dir, [
      document(
        "https://a.example/",
        `${filler} one alpha here. ${filler}\n\nNow alpha\tand beta <b>together</b>. ${filler}`,
      ),
      document("https://b.example/", "gamma"),
      document("https://c.example/", "", { title: "only a delta" }),
    ]);
    using index = new SearchIndex(dir);
    const snippet = (query: string, options = {}) => index.search(query, options)[0]!.snippet;
    const found = snippet("beta alpha");
    assert.match(found, /^….* Now \*\*alpha\*\* and \*\*beta\*\* <b>together<\/b>\. .*…$/);
    assert.ok(found.length <= 420);
    assert.match(snippet('"alpha and beta"'), /Now \*\*alpha and beta\*\* /);
    assert.match(snippet("toget*"), /\*\*together\*\*/);
    assert.match(
      snippet("beta", {
        marks: ["<mark>", "</mark>"],
        escape: (s: string) => s.replaceAll("<", "&lt;"),
      }),
      /<mark>beta<\/mark> &lt;b>together&lt;\/b>/,
    );
    assert.equal(snippet("gamma"), "**gamma**");
    assert.equal(snippet("delta"), "");
    return Promise.resolve();
  });
});

Deno.test("a snippet is a piece of the text, whatever the text and the query", async () => {
  await inFolder((dir) => {
    const piece = fc.constantFrom(
      "a",
      "b",
      "東",
      "京",
      " ",
      "\n",
      "é",
      "-",
      "*",
      "\u0301",
      "\ud800",
      "0",
    );
    let n = 0;
    using writer = new IndexWriter(dir);
    using index = new SearchIndex(dir);
    fc.assert(
      fc.property(fc.string({ unit: piece, maxLength: 200 }), (body) => {
        const text = `needle${n} ${body}`;
        writer.add(document(`https://x.example/${n}`, text));
        writer.commit();
        const [hit] = index.search(`needle${n++}`, { marks: ["", ""] });
        const line = text.toWellFormed().replace(/\s+/g, " ").trim();
        assert.ok(line.includes(hit!.snippet.replace(/…$/, "")), JSON.stringify([text, hit]));
      }),
      { numRuns: 150 },
    );
    return Promise.resolve();
  });
});

Deno.test("no query is taken for a command of the index", async () => {
  await inFolder((dir) => {
    build(dir, [document("https://a.example/", "plain words near each other")]);
    using index = new SearchIndex(dir);
    const piece = fc.constantFrom(
      ..."plain|words|NEAR|NEAR(|AND|OR|NOT|\"|*|(|)|{|}|:|title|+|^|-|'|\0|;|--|\\|é|東| |".split(
        "|",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        try {
          index.search(pieces.join(" "), { host: "x.example", languages: ["en')"] });
          index.search(pieces.join(""), { any: true });
        } catch (error) {
          assert.ok(error instanceof IndexError, String(error));
          assert.match(error.message, /names no word|only what is not wanted/);
          assert.equal(error.exitCode, 2);
        }
      }),
      { numRuns: 500 },
    );
    assert.throws(() => index.search("x".repeat(3000)), IndexError);
    assert.throws(() => index.search("x ".repeat(100)), IndexError);
    return Promise.resolve();
  });
});

Deno.test("an index is searched while it is written", async () => {
  await inFolder((dir) => {
    using writer = new IndexWriter(dir);
    writer.add(document("https://a.example/", "first"));
    writer.commit();
    using index = new SearchIndex(dir);
    writer.add(document("https://b.example/", "first too"));
    assert.equal(index.search("first").length, 1);
    writer.commit();
    assert.equal(index.search("first").length, 2);
    writer.add(document("https://c.example/", "first again"));
    writer.close();
    assert.equal(index.search("first").length, 3);
    return Promise.resolve();
  });
});

Deno.test("what is no index of ours, or of another version, is refused", async () => {
  await inFolder((dir) => {
    assert.throws(() => new SearchIndex(dir), /there is no index in it; make one/);
    const path = join(dir, "index.db");
    const db = new DatabaseSync(path);
    db.exec("CREATE TABLE theirs(x)");
    db.close();
    assert.throws(() => new SearchIndex(dir), /no index of ccrawl's/);
    assert.throws(() => new IndexWriter(dir), /no index of ccrawl's/);
    Deno.writeTextFileSync(path, "This is a text, and no database at all. ".repeat(100));
    assert.throws(() => new SearchIndex(dir), /not a database; delete the folder/);
    Deno.removeSync(path);
    build(dir, []);
    const newer = new DatabaseSync(path);
    newer.exec("PRAGMA user_version = 2");
    newer.close();
    assert.throws(() => new SearchIndex(dir), /has version 2, this ccrawl knows 1/);
    assert.throws(() => new IndexWriter(dir), IndexError);
    return Promise.resolve();
  });
});

Deno.test("an index is searched where nothing may be written; a full disk loses nothing that was committed", async () => {
  await inFolder(async (dir) => {
    build(join(dir, "index"), [document("https://a.example/", "hello world")]);
    {
      await using mount = await Mount.readOnly(join(dir, "index"), join(dir, "fixed"));
      if (mount === undefined) return;
      assert.deepEqual(find(mount.path, "hello"), ["https://a.example/"]);
      assert.throws(() => new IndexWriter(mount.path), /Read-only|read-only/);
    }
    await using small = await Mount.memory(join(dir, "small"), 3 << 20);
    if (small === undefined) return;
    const endless = function* () {
      for (let i = 0;; i++) {
        yield document(`https://a.example/${i}`, `word${i} ${crypto.randomUUID().repeat(20)}`);
      }
    };
    const path = join(small.path, "index");
    using writer = new IndexWriter(path);
    writer.add(document("https://b.example/", "kept"));
    writer.commit();
    assert.throws(
      () => {
        for (const one of endless()) writer.add(one);
      },
      (error: IndexError) => error.exitCode === 75 && /free some space and run/.test(error.message),
    );
    writer[Symbol.dispose]();
    assert.deepEqual(find(path, "kept"), ["https://b.example/"]);
  });
});

Deno.test("IndexWriter keeps documents apart whose ids differ only far behind", async () => {
  await inFolder((dir) => {
    const long = "x".repeat(20_000);
    const { documents } = build(dir, [
      document("https://a.example/", "one", { docId: `${long}1` }),
      document("https://b.example/", "two", { docId: `${long}2` }),
    ]);
    assert.equal(documents, 2);
    assert.deepEqual(find(dir, "one"), ["https://a.example/"]);
    return Promise.resolve();
  });
});
