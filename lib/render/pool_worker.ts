import process from "node:process";
import type { LaneSetup } from "./_pool_setup.ts";
import type { PoolParts } from "./pool_types.ts";

/**
 * What a worker's module of a {@linkcode RenderPool} calls, once, at its top level. The module brings along
 * the parts that the pool does not have: how bodies and texts are decoded and, if it wants rows of
 * another form, how they are made.
 *
 * @example A worker's module
 * ```ts ignore
 * import { decodeBody, decodeText, loadDetector } from "@ccrawl/cli/fetch";
 * import { serveRenderPool } from "@ccrawl/cli/render";
 *
 * await serveRenderPool({ decodeBody, decodeText, loadDetector });
 * ```
 *
 * @throws {TypeError} When the module does not run in a worker of a pool.
 */
export async function serveRenderPool(parts: PoolParts): Promise<void> {
  const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads");
  const setup = workerData as LaneSetup | undefined;
  if (parentPort === null || !(setup?.lane instanceof SharedArrayBuffer)) {
    throw new TypeError("Cannot serve a render pool: this is no worker of one");
  }
  const { serve } = await import("./_pool_server.ts");
  await serve(parts, parentPort, setup);
}
