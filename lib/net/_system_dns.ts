import { readFileSync, statSync } from "node:fs";
import { parseHosts } from "./hosts_file.ts";
import { type NameServer, parseResolvConf } from "./resolv_conf.ts";

/** Largest file read; block lists made into hosts files run to a few megabytes. */
const MAX_BYTES = 64 << 20;
/** How often a change of the files is looked for, in milliseconds. */
const CHECK_EVERY_MS = 60_000;

/** A text file that is read again when it has changed; empty where there is none. */
class WatchedFile {
  #stamp = "";

  constructor(readonly path: string) {}

  /** The file's text if it changed since the last call, else `undefined`. */
  changed(): string | undefined {
    const stat = this.path === "" ? undefined : statSync(this.path, { throwIfNoEntry: false });
    const stamp = stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : "none";
    if (stamp === this.#stamp) return undefined;
    const text = stat && stat.size <= MAX_BYTES ? readFileSync(this.path, "utf8") : "";
    this.#stamp = stamp;
    return text;
  }
}

/** The hosts file and the name servers of the machine, kept up with as they change under a long run. */
export class SystemDns {
  readonly #hostsFile: WatchedFile;
  readonly #resolvConf: WatchedFile;
  #checkedAt = -Infinity;
  /** Addresses by host name. */
  hosts: ReadonlyMap<string, readonly string[]> = new Map();
  /** The servers of resolv.conf; none where the file does not exist. */
  servers: readonly NameServer[] = [];

  /** @param resolvConf `""` for no file, as for `hostsFile`. */
  constructor(hostsFile: string, resolvConf: string) {
    this.#hostsFile = new WatchedFile(hostsFile);
    this.#resolvConf = new WatchedFile(resolvConf);
  }

  /** Looks for changes, at most once a minute; says whether the list of servers may be another. */
  refresh(now: number): boolean {
    if (now - this.#checkedAt < CHECK_EVERY_MS) return false;
    this.#checkedAt = now;
    const hosts = this.#hostsFile.changed();
    if (hosts !== undefined) this.hosts = parseHosts(hosts);
    const conf = this.#resolvConf.changed();
    if (conf === undefined) return false;
    this.servers = conf === "" ? [] : parseResolvConf(conf);
    return true;
  }
}
