/**
 * Where name servers are: their text form, and the system's list of them.
 *
 * @module
 */
import { formatAddress, parseAddress } from "./address.ts";

/** A name server's address and port. */
export interface NameServer {
  /** IPv4 or IPv6 address in canonical form. */
  readonly address: string;
  /** UDP and TCP port, 1 to 65535. */
  readonly port: number;
}

/**
 * Reads `IP`, `IP:PORT`, `[IPv6]` or `[IPv6]:PORT` as a name server.
 *
 * @throws {RangeError} If the text is none of these; the message says what is wanted.
 *
 * @example
 * ```ts
 * import { parseNameServer } from "@ccrawl/cli/dns";
 *
 * parseNameServer("9.9.9.9"); // { address: "9.9.9.9", port: 53 }
 * parseNameServer("[2620:fe::fe]:5353"); // { address: "2620:fe::fe", port: 5353 }
 * ```
 */
export function parseNameServer(text: string): NameServer {
  let host = text;
  let port = "53";
  const close = text.startsWith("[") ? text.indexOf("]") : -1;
  if (close > 0) {
    host = text.slice(1, close);
    if (close + 1 < text.length) port = text[close + 1] === ":" ? text.slice(close + 2) : "";
    if (!host.includes(":")) host = "";
  } else if (text.indexOf(":") === text.lastIndexOf(":") && text.includes(":")) {
    const colon = text.indexOf(":");
    host = text.slice(0, colon);
    port = text.slice(colon + 1);
  }
  const address = parseAddress(host);
  const number = /^[0-9]{1,5}$/.test(port) ? Number(port) : 0;
  if (address === null || number < 1 || number > 65535) {
    throw new RangeError(
      `Cannot use ${JSON.stringify(text.slice(0, 100))} as a name server: ` +
        "give an address and, if it is not 53, a port: IP, IP:PORT or [IPv6]:PORT",
    );
  }
  return { address: formatAddress(address), port: number };
}

/** Most servers taken from a file: libc takes three. */
const MAX_SERVERS = 8;

/**
 * Reads the `nameserver` lines of a resolv.conf(5). Search lists are of no use to a crawl, whose names are
 * whole, and addresses with a zone are left out. A file without servers means the machine itself, as in libc.
 */
export function parseResolvConf(text: string): NameServer[] {
  const servers: NameServer[] = [];
  for (const line of text.split("\n")) {
    const [word, value] = line.trim().split(/\s+/, 2);
    if (word !== "nameserver" || value === undefined) continue;
    const address = parseAddress(value);
    if (address !== null) servers.push({ address: formatAddress(address), port: 53 });
    if (servers.length === MAX_SERVERS) break;
  }
  return servers.length > 0 ? servers : [{ address: "127.0.0.1", port: 53 }];
}
