import assert from "node:assert/strict";
import { join } from "node:path";
import { main } from "../../lib/cli/app.ts";
import { testHost } from "../cli/_host.ts";
import { inFolder } from "../capture/_rows.ts";
import { INFO, members, response } from "./_archives.ts";

async function ccrawl(...args: string[]) {
  const host = testHost();
  const code = await main(args, host);
  return { code, out: host.out(), err: host.err() };
}

Deno.test("parse from the command line: fields, formats, exit codes", async () => {
  await inFolder(async (dir) => {
    const file = join(dir, "x.warc.gz");
    const bytes = members([
      INFO,
      response("https://a.example/", "<title>T</title><p>Hello <a href=/b>b</a>"),
    ]);
    await Deno.writeFile(file, bytes);
    const csv = await ccrawl("parse", file, "-o", "csv", "--type", "response");
    assert.equal(csv.code, 0, csv.err);
    const [head, row, ...rest] = csv.out.trimEnd().split("\n");
    assert.equal(head, "type,url,status,mime,date,record_id,payload_digest,content_length,offset");
    assert.match(
      row!,
      /^response,https:\/\/a\.example\/,200,text\/html,2024-05-18T01:58:10Z,urn:uuid:/,
    );
    assert.deepEqual(rest, []);
    const links = await ccrawl(
      "parse",
      file,
      "--links",
      "--status",
      "2xx",
      "--fields",
      "url,links",
    );
    assert.deepEqual(JSON.parse(links.out), {
      url: "https://a.example/",
      links: ["https://a.example/b"],
    });
    const text = await ccrawl(
      "parse",
      file,
      "--text",
      "--type",
      "response",
      "-j",
      "1",
      "--fields",
      "title,text",
    );
    assert.deepEqual(JSON.parse(text.out), { title: "T", text: "Hello b" });
    const raw = await ccrawl("parse", file, "-o", "raw", "--mime", "text/html");
    assert.equal(raw.out, "<title>T</title><p>Hello <a href=/b>b</a>");
    const folder = await ccrawl("parse", dir, "-n", "1");
    assert.equal(JSON.parse(folder.out).file, file);
    assert.equal(folder.code, 0);
    assert.equal((await ccrawl("parse", file, "--status", "404")).code, 3);
    const typo = await ccrawl("parse", file, "--type", "respons");
    assert.equal(typo.code, 3);
    assert.match(typo.err, /no record is of type "respons"; did you mean response\?/);
    assert.doesNotMatch((await ccrawl("parse", file, "--type", "custom")).err, /did you mean/);
    for (
      const bad of [
        ["--status", "abc"],
        ["--lang", "English"],
        ["--url", "("],
        ["--fields", "text"],
      ]
    ) assert.equal((await ccrawl("parse", file, ...bad)).code, 2, bad.join(" "));
    assert.equal((await ccrawl("parse")).code, 2);
    await Deno.writeFile(file, bytes.subarray(0, bytes.length - 9));
    const cut = await ccrawl("parse", file, "--fields", "type");
    assert.equal(cut.code, 1);
    assert.equal(cut.out, '{"type":"warcinfo"}\n');
    assert.match(cut.err, /x\.warc\.gz, byte \d+: /);
    const gone = await ccrawl("parse", join(dir, "gone"));
    assert.equal(gone.code, 1);
    assert.match(gone.err, /Cannot read \S+gone: there is no such file/);
  });
});
