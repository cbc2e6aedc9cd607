/**
 * The executable: `deno run -A cli.ts`, or the compiled `ccrawl`.
 *
 * @module
 */

import { main } from "./lib/cli/mod.ts";
import { RENDER_CHILD_ARGUMENT } from "./lib/render/child_argument.ts";

if (Deno.build.standalone && Deno.args[0] === RENDER_CHILD_ARGUMENT) {
  const { runRenderChild } = await import("./lib/render/mod.ts");
  await runRenderChild();
  Deno.exit(0);
}

// Not left to the event loop: a socket stuck in a handshake would keep a finished process alive.
Deno.exit(await main(Deno.args));
