import assert from "node:assert/strict";
import config from "../../deno.json" with { type: "json" };
import { commit, USER_AGENT, VERSION } from "../../lib/version.ts";

Deno.test("VERSION is the version of deno.json", () => {
  assert.equal(VERSION, config.version);
});

Deno.test("USER_AGENT names the product that robots.txt files name, and the page about it", () => {
  assert.match(USER_AGENT, /^CCrawl\/2\.0 \(\+https:\/\/\S+\)$/);
});

Deno.test("commit() is the commit of the checkout, where there is one", () => {
  const git = new Deno.Command("git", {
    args: ["rev-parse", "HEAD"],
    cwd: new URL("../..", import.meta.url),
    stderr: "null",
  });
  const head = (): string | undefined => {
    try {
      const { success, stdout } = git.outputSync();
      return success ? new TextDecoder().decode(stdout).trim() : undefined;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      return undefined;
    }
  };
  const before = head();
  if (before === undefined) {
    console.log("needs git and a checkout");
    return;
  }
  const known = commit();
  // Someone may commit between the two.
  const heads = [before, head()];
  assert(
    known !== undefined && heads.some((hash) => hash?.startsWith(known)),
    `${known} is none of ${heads}`,
  );
});
