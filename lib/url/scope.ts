/**
 * Which URLs a crawl takes.
 *
 * @module
 */

import { readFile } from "node:fs/promises";
import { hostOf } from "./host.ts";
import { shardOfHost } from "./shard.ts";

/** A pattern of a scope that is neither a SURT prefix nor a regular expression. */
export class ScopePatternError extends Error {
  /** Tells the class apart. */
  override readonly name = "ScopePatternError";
  /** The pattern as it was given. */
  readonly pattern: string;

  /**
   * Names the pattern in its message.
   *
   * @param pattern The pattern as it was given.
   * @param cause What is wrong with it.
   */
  constructor(pattern: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `Cannot use the pattern ${JSON.stringify(pattern)}: ${reason}. ` +
        "Give a regular expression, or a SURT prefix such as com,example)/docs/",
      { cause },
    );
    this.pattern = pattern;
  }
}

/** What a {@linkcode Scope} is made of. */
export interface ScopeOptions {
  /** Most links away from a seed; 0 for no bound. @default 0 */
  readonly maxDepth?: number;
  /** Patterns of which one must match; none for all URLs. */
  readonly include?: readonly string[];
  /** Patterns of which none may match; they win over `include`. */
  readonly exclude?: readonly string[];
  /** The shard that is taken, 0 to `shards` - 1. @default 0 */
  readonly shard?: number;
  /** How many shards there are. @default 1 */
  readonly shards?: number;
}

/** What a SURT prefix asks of a host's URLs. */
interface HostRule {
  /** `http:` or `https:`; undefined for either. */
  readonly scheme: string | undefined;
  /** Port as written in a URL, "" for the default one; undefined for any. */
  readonly port: string | undefined;
  /** Only the host itself, not those under it. */
  readonly exact: boolean;
  /** Prefixes of path and query, sorted, none the prefix of another; [""] for all. */
  paths: string[];
}

// Scheme, host labels in reverse, a trailing comma, port, `)` and what follows it.
const SURT = /^(?:(https?:)\/\/\(|\()?([a-z0-9_-]+(?:,[a-z0-9_-]+)*)(,?)(?::([0-9]+))?(\)(.*))?$/i;

/** `foo` and `(foo)` are regular expressions; with a scheme, a comma, or `)` alone they cannot be. */
function looksLikeSurt(pattern: string, match: RegExpExecArray): boolean {
  return match[1] !== undefined || match[2]!.includes(",") || match[3] !== "" ||
    match[5] !== undefined && !pattern.startsWith("(");
}

/** A list of patterns, ready to be asked. */
class PatternSet {
  readonly #regexps: RegExp[] = [];
  readonly #hosts = new Map<string, HostRule[]>();

  constructor(patterns: readonly string[]) {
    for (const pattern of patterns) {
      const match = SURT.exec(pattern);
      if (match !== null && looksLikeSurt(pattern, match)) {
        this.#addSurt(match);
      } else {
        try {
          this.#regexps.push(new RegExp(pattern, "u"));
        } catch (cause) {
          throw new ScopePatternError(pattern, cause);
        }
      }
    }
    for (const rules of this.#hosts.values()) {
      for (const rule of rules) {
        rule.paths.sort();
        // A path below another adds nothing; without it, only the nearest smaller one can match.
        const kept: string[] = [];
        for (const path of rule.paths) {
          const last = kept.at(-1);
          if (last === undefined || !path.startsWith(last)) kept.push(path);
        }
        rule.paths = kept;
      }
    }
  }

  #addSurt(match: RegExpExecArray): void {
    const [, scheme, labels, , port, closed, path] = match;
    const host = labels!.toLowerCase();
    const exact = closed !== undefined;
    const rule: HostRule = {
      scheme: scheme?.toLowerCase(),
      port: port ?? (exact ? "" : undefined),
      exact,
      paths: [path ?? ""],
    };
    const rules = this.#hosts.get(host);
    if (rules === undefined) {
      this.#hosts.set(host, [rule]);
      return;
    }
    const same = rules.find((r) =>
      r.scheme === rule.scheme && r.port === rule.port && r.exact === rule.exact
    );
    if (same === undefined) rules.push(rule);
    else same.paths.push(...rule.paths);
  }

  matches(url: string): boolean {
    for (const regexp of this.#regexps) if (regexp.test(url)) return true;
    return this.#hosts.size > 0 && this.#matchesSurt(url);
  }

  #matchesSurt(url: string): boolean {
    const hostStart = url.indexOf("//") + 2;
    let pathStart = url.indexOf("/", hostStart);
    if (pathStart < 0) pathStart = url.length;
    const host = hostOf(url);
    const portAt = url.lastIndexOf(":", pathStart);
    const port = portAt >= hostStart + host.length ? url.slice(portAt + 1, pathStart) : "";
    const scheme = url.slice(0, hostStart - 2);
    const path = url.slice(pathStart);
    const labels = host.split(".");
    let key = "";
    for (let i = labels.length - 1; i >= 0; i--) {
      key = key === "" ? labels[i]! : key + "," + labels[i]!;
      const rules = this.#hosts.get(key);
      if (rules === undefined) continue;
      for (const rule of rules) {
        if (rule.exact && i > 0) continue;
        if (rule.scheme !== undefined && rule.scheme !== scheme) continue;
        if (rule.port !== undefined && rule.port !== port) continue;
        if (prefixOf(rule.paths, path)) return true;
      }
    }
    return false;
  }
}

/** Whether one of `sorted` (none the prefix of another) begins `text`. */
function prefixOf(sorted: readonly string[], text: string): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! <= text) low = middle + 1;
    else high = middle;
  }
  return low > 0 && text.startsWith(sorted[low - 1]!);
}

/**
 * The URLs that a crawl takes.
 *
 * A pattern is a SURT prefix when it looks like one: host labels in reverse joined by commas, perhaps
 * after `http://(`, `https://(` or `(`, perhaps followed by a comma, a port, or `)` with the beginning
 * of a path; a single label (`com,`, `localhost)/`, `http://(localhost`) needs one of these to be told
 * from a regular expression. `com,example` (and `com,example,`) takes example.com and every host under it;
 * `com,example)` only example.com itself on its default port; `com,example)/docs/` only what begins with
 * `/docs/` there; `com,example:8080)` that port; with a scheme, only that scheme. Anything else is a
 * regular expression (with the `u` flag), searched for anywhere in the URL: anchor it with `^` and `$`.
 * Both are held against the canonical URL.
 *
 * @example
 * ```ts
 * import { Scope } from "@ccrawl/cli/url";
 *
 * const scope = new Scope({ include: ["com,example"], exclude: ["\\.pdf$"] });
 * scope.inScope("https://docs.example.com/a"); // true
 * ```
 */
export class Scope {
  readonly #maxDepth: number;
  readonly #include: PatternSet | undefined;
  readonly #exclude: PatternSet | undefined;
  readonly #shard: number;
  readonly #shards: number;
  // Links of a page are mostly of one host.
  #lastHost = "";
  #lastOwned = false;

  /**
   * Compiles the patterns.
   *
   * @throws {ScopePatternError} When a pattern is neither a SURT prefix nor a regular expression.
   * @throws {RangeError} When shard and shards do not go together.
   */
  constructor(options: ScopeOptions = {}) {
    this.#maxDepth = options.maxDepth ?? 0;
    const { include = [], exclude = [] } = options;
    this.#include = include.length > 0 ? new PatternSet(include) : undefined;
    this.#exclude = exclude.length > 0 ? new PatternSet(exclude) : undefined;
    this.#shard = options.shard ?? 0;
    this.#shards = options.shards ?? 1;
    if (
      !Number.isInteger(this.#shards) || this.#shards < 1 || !Number.isInteger(this.#shard) ||
      this.#shard < 0 || this.#shard >= this.#shards
    ) {
      throw new RangeError(
        `Cannot take shard ${this.#shard} of ${this.#shards}: the shard must be from 0 to the number of shards less one`,
      );
    }
  }

  /**
   * Whether the crawl takes a URL.
   *
   * @param url In canonical form.
   * @param depth Links away from a seed; a seed is 0. @default 0
   */
  inScope(url: string, depth = 0): boolean {
    if (this.#maxDepth > 0 && depth > this.#maxDepth) return false;
    if (this.#shards > 1 && !this.#owned(url)) return false;
    if (this.#include !== undefined && !this.#include.matches(url)) return false;
    return this.#exclude === undefined || !this.#exclude.matches(url);
  }

  /**
   * Whether the crawl takes a URL that its operator named, or that such a URL redirects to: `include`
   * speaks of links, but `exclude` and the shard hold for these too.
   *
   * @param url In canonical form.
   */
  admitsSeed(url: string): boolean {
    if (this.#shards > 1 && !this.#owned(url)) return false;
    return this.#exclude === undefined || !this.#exclude.matches(url);
  }

  #owned(url: string): boolean {
    const host = hostOf(url);
    if (host !== this.#lastHost) {
      this.#lastHost = host;
      this.#lastOwned = shardOfHost(host, this.#shards) === this.#shard;
    }
    return this.#lastOwned;
  }
}

/**
 * The patterns of a file: one a line, white space around it dropped, empty lines and lines that begin
 * with `#` skipped.
 *
 * @throws {Error} When the file cannot be read; the cause is the system's error.
 */
export async function readPatternFile(path: string): Promise<string[]> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot read the pattern file ${path}: ${reason}`, { cause });
  }
  return text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/).map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/**
 * Patterns as options give them: one that begins with `@` names a file of them
 * ({@linkcode readPatternFile}).
 *
 * @throws {Error} When a file cannot be read.
 */
export async function expandPatterns(patterns: readonly string[]): Promise<string[]> {
  const out: string[] = [];
  for (const pattern of patterns) {
    if (pattern.startsWith("@")) {
      for (const line of await readPatternFile(pattern.slice(1))) out.push(line);
    } else out.push(pattern);
  }
  return out;
}
