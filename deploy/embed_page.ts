/**
 * Writes `lib/report/_page_assets.ts` from the files in `lib/report/page`, so that the page travels with the module
 * wherever that goes: `deno task page`.
 *
 * @module
 */

/** Each constant and the file that it holds. */
const FILES = [["PAGE_HTML", "page.html"], ["PAGE_CSS", "page.css"], [
  "PAGE_JS",
  "page.js",
]] as const;

/** Where the module lies. */
export const ASSETS: URL = new URL("../lib/report/_page_assets.ts", import.meta.url);

/** The text of the module. */
export function embedPage(): string {
  let text = "// Made from page/ by `deno task page`; not to be edited.\n";
  for (const [name, file] of FILES) {
    const content = Deno.readTextFileSync(new URL(`../lib/report/page/${file}`, import.meta.url));
    const escaped = content.replaceAll("\\", "\\\\").replaceAll("`", "\\`").replaceAll(
      "${",
      "\\${",
    );
    text += `\nexport const ${name} = \`${escaped}\`;\n`;
  }
  return text;
}

if (import.meta.main) Deno.writeTextFileSync(ASSETS, embedPage());
