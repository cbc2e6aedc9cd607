/**
 * The reset port: `reset` hosts answer nothing and reset, `reset-N` hosts reset after a head and N bytes of a
 * body that was to be longer. On a port of its own, since only node's sockets can send a reset.
 *
 * @module
 */

import net from "node:net";
import { figure } from "./traits.ts";
import type { Web } from "./_web.ts";

/** Listens on a free port; resolves with its number. */
export function listenReset(web: Web, hostname: string): Promise<number> {
  const server = net.createServer({ noDelay: true }, (socket) => serve(web, socket));
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, hostname, () => {
      const address = server.address();
      if (address === null || typeof address === "string") {
        reject(new Error("Cannot listen for resets: no port was given"));
      } else resolve(address.port);
    });
  });
}

function serve(web: Web, socket: net.Socket): void {
  const ip = socket.localAddress ?? "127.0.0.1";
  if (!web.admit(ip)) {
    socket.destroy();
    return;
  }
  const id = ++web.stats.connections;
  let head = "";
  let answered = false;
  socket.on("error", () => socket.destroy());
  socket.on("close", () => web.leave(ip));
  socket.on("data", (bytes) => {
    if (answered) return;
    head += bytes.toString("latin1");
    if (!head.includes("\r\n\r\n")) {
      if (head.length > 64 * 1024) socket.destroy();
      return;
    }
    answered = true;
    const path = head.split(" ")[1] ?? "/";
    const host = web.host(/\nhost:[ \t]*([^\r\n]*)/i.exec(head)?.[1] ?? ip);
    const address = web.log.address(ip);
    host.count.connections++;
    const agent = /\nuser-agent:[ \t]*([^\r\n]*)/i.exec(head)?.[1] ?? "";
    const entry = web.log.begin(
      host.count,
      address,
      "http",
      path,
      socket.localPort ?? 0,
      id,
      agent,
    );
    const after = figure(host.traits, "reset", -1) ?? -1;
    web.log.end(entry, host.count, address, after < 0 ? 0 : 200);
    if (after < 0) {
      socket.resetAndDestroy();
      return;
    }
    const answer =
      `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${after + 1000}\r\n\r\n` +
      "x".repeat(after);
    socket.write(answer, () => socket.resetAndDestroy());
  });
}
