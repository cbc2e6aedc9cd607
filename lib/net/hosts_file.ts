/**
 * The machine's own table of host names.
 *
 * @module
 */
import { formatAddress, parseAddress } from "./address.ts";

/**
 * Reads a hosts(5) file: an address, then the names it belongs to, `#` comments. Names are lower-cased; the
 * addresses of a name come in the order of the file, IPv4 before IPv6. Lines whose address cannot be read, or
 * has a zone, are left out.
 */
export function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const comment = line.indexOf("#");
    const words = (comment < 0 ? line : line.slice(0, comment)).trim().split(/\s+/);
    const bytes = parseAddress(words[0]!);
    if (bytes === null) continue;
    const address = formatAddress(bytes);
    for (let i = 1; i < words.length; i++) {
      const name = words[i]!.toLowerCase();
      const known = hosts.get(name);
      if (!known) hosts.set(name, [address]);
      else if (!known.includes(address)) {
        if (bytes.length === 16) known.push(address);
        else {
          const firstV6 = known.findIndex((a) => a.includes(":"));
          known.splice(firstV6 < 0 ? known.length : firstV6, 0, address);
        }
      }
    }
  }
  return hosts;
}
