/**
 * JSR on loopback, with this package in it as `deno publish` would upload it: the files that it names, and
 * the specifiers of dependencies written out.
 */

import { createHash } from "node:crypto";
import { relative } from "node:path";
import config from "../../deno.json" with { type: "json" };
import { run } from "./_smoke.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const { name: PACKAGE, version: VERSION } = config;

/** A registry that runs. */
export interface Registry extends AsyncDisposable {
  /** For JSR_URL. */
  readonly url: string;
  /** Paths of the package's files. */
  readonly files: readonly string[];
  /** What was asked for and is not there. */
  readonly missing: readonly string[];
}

/** Starts a registry that has the package. */
export async function startRegistry(): Promise<Registry> {
  const files = new Map<string, Uint8Array>();
  for (const path of await published()) {
    const text = await Deno.readTextFile(ROOT + path);
    files.set(`/${path}`, new TextEncoder().encode(path.endsWith(".ts") ? unfurl(text) : text));
  }
  const manifest = Object.fromEntries(
    [...files].map(([path, bytes]) => [path, {
      size: bytes.length,
      checksum: `sha256-${createHash("sha256").update(bytes).digest("hex")}`,
    }]),
  );
  const [scope, name] = PACKAGE.slice(1).split("/");
  const meta = { scope, name, latest: VERSION, versions: { [VERSION]: {} } };
  const missing: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const path = decodeURIComponent(new URL(request.url).pathname);
    if (path === `/${PACKAGE}/meta.json`) return Response.json(meta);
    if (path === `/${PACKAGE}/${VERSION}_meta.json`) {
      return Response.json({ manifest, exports: config.exports });
    }
    const start = `/${PACKAGE}/${VERSION}/`;
    const file = path.startsWith(start) ? files.get(path.slice(start.length - 1)) : undefined;
    if (file === undefined) {
      missing.push(path);
      return new Response("not found", { status: 404 });
    }
    const type = path.endsWith(".ts") ? "text/typescript" : "application/octet-stream";
    return new Response(new Uint8Array(file), { headers: { "content-type": type } });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    files: [...files.keys()],
    missing,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** The files that `deno publish` would upload, as it says. */
async function published(): Promise<string[]> {
  const { code, stdout, stderr } = await run(
    Deno.execPath(),
    "publish --dry-run --allow-dirty --no-check".split(" "),
    { cwd: ROOT, env: { NO_COLOR: "1" } },
  );
  if (code !== 0) throw new Error(`Cannot publish: ${stderr}`);
  const paths = [...(stdout + stderr).matchAll(/^ +file:\/\/(\/\S+) \([\d.]+\w+\)$/gm)];
  return paths.map(([, path]) => relative(ROOT, path!));
}

/** Specifiers as `deno publish` leaves them: without an import map they must say what they are. */
function unfurl(text: string): string {
  const imports: Record<string, string> = config.imports;
  return text.replaceAll(/(\bfrom |\bimport\()"([^".][^"]*)"/g, (all, before, specifier) => {
    const name = Object.keys(imports).find((key) => `${specifier}/`.startsWith(`${key}/`));
    return name === undefined ? all : `${before}"${imports[name]}${specifier.slice(name.length)}"`;
  });
}
