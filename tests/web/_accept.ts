/**
 * Taking connections, as many as there may be.
 *
 * @module
 */

import type { Web } from "./_web.ts";

/** Connections as they come, until the listener is closed. */
export async function* accepted<C>(
  web: Web,
  listener: { accept(): Promise<C> },
): AsyncGenerator<C, void, undefined> {
  for (;;) {
    let connection: C;
    try {
      connection = await listener.accept();
    } catch (error) {
      if (error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted) {
        return;
      }
      if (isNetworkError(error) || await noDescriptors(web, error)) continue;
      throw error;
    }
    yield connection;
  }
}

/** Serves connections, with the address and port that they came to, of as many clients as are admitted. */
export async function serveAdmitted(
  web: Web,
  listener: Deno.TcpListener,
  serve: (raw: Deno.TcpConn, ip: string, port: number) => Promise<void>,
): Promise<void> {
  for await (const raw of accepted(web, listener)) {
    const { hostname, port } = raw.localAddr as Deno.NetAddr;
    if (!web.admit(hostname)) {
      raw.close();
      continue;
    }
    raw.setNoDelay(true);
    serve(raw, hostname, port).finally(() => web.leave(hostname));
  }
}

/** Whether there are no descriptors left; if so, gives those that are open some time to close. */
async function noDescriptors(web: Web, error: unknown): Promise<boolean> {
  if (!(error instanceof Error) || (error as { code?: string }).code !== "EMFILE") return false;
  web.stats.turnedAway++;
  await new Promise((resolve) => setTimeout(resolve, 20));
  return true;
}

/** Whether an error is how a socket says that the other side has gone. */
export function isNetworkError(error: unknown): boolean {
  return error instanceof Deno.errors.ConnectionReset ||
    error instanceof Deno.errors.ConnectionRefused ||
    error instanceof Deno.errors.BrokenPipe ||
    error instanceof Deno.errors.ConnectionAborted || error instanceof Deno.errors.NotConnected ||
    error instanceof Deno.errors.UnexpectedEof || error instanceof Deno.errors.BadResource ||
    error instanceof Deno.errors.Interrupted || error instanceof Deno.errors.TimedOut ||
    error instanceof Deno.errors.InvalidData;
}
