/**
 * The executable: `deno run -A cli.ts`, or the compiled `ccrawl`.
 *
 * @module
 */

import { main } from "./lib/cli/mod.ts";

// Not left to the event loop: a socket stuck in a handshake would keep a finished process alive.
Deno.exit(await main(Deno.args));
