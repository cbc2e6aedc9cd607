/**
 * A server that accepts connections and never gets on: it answers nothing (`silent`), or the first bytes of a
 * TLS handshake (`hello`), and keeps every connection. A process of its own, so that a test can count the
 * descriptors of its own side. Prints its port.
 */
const opening = Deno.args[0];
const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
console.log(listener.addr.port);
/** A record that announces a ServerHello of 76 bytes and brings two of them. */
const partial = Uint8Array.of(0x16, 3, 3, 0, 80, 2, 0, 0, 76, 3, 3);

async function hold(conn: Deno.Conn): Promise<void> {
  const into = new Uint8Array(4096);
  for (let first = true; await conn.read(into) !== null; first = false) {
    if (first && opening === "hello") await conn.write(partial);
  }
  // Read to the end and kept open all the same.
}

for await (const conn of listener) hold(conn).catch(() => {});
