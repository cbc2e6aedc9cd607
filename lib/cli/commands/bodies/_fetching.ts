/**
 * Options of fetching, as the engine takes them.
 *
 * @module
 */

import { whyUnread } from "../../../files/mod.ts";
import { CommandError, ExitCode } from "../../errors.ts";
import type { GlobalOptions } from "../../options/global.ts";
import type { RunOptions } from "../run_options.ts";

const MIB = 2 ** 20;

/** The certificates of a PEM file, for `--ca-cert`. @throws {CommandError} When it cannot be read. */
export function readCertificates(path: string | undefined): string[] {
  if (path === undefined) return [];
  let pem: string;
  try {
    pem = Deno.readTextFileSync(path);
  } catch (cause) {
    throw new CommandError(
      `Cannot read --ca-cert ${path}: ${whyUnread(cause)}`,
      ExitCode.error,
      undefined,
      { cause },
    );
  }
  const end = "-----END CERTIFICATE-----";
  const certificates = pem.split(end).slice(0, -1).map((part) => part + end + "\n");
  if (certificates.length === 0) {
    throw new CommandError(
      `Cannot use --ca-cert ${path}: it holds no PEM certificate`,
      ExitCode.error,
    );
  }
  return certificates;
}

/** What every command that fetches shares. */
export function networkOptions(
  options: GlobalOptions & { insecure: boolean; caCert: string | undefined },
): {
  resolvers: readonly string[];
  allowPrivate: boolean;
  insecure: boolean;
  caCerts: readonly string[];
  userAgent: string;
} {
  return {
    resolvers: options.resolver.map(({ ip, port }) =>
      ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`
    ),
    allowPrivate: options.allowPrivate,
    insecure: options.insecure,
    caCerts: readCertificates(options.caCert),
    userAgent: options.userAgent,
  };
}

/** What commands share that go over many pages. */
export function fetchingOptions(
  options:
    & GlobalOptions
    & Omit<
      RunOptions,
      ("shard" | "shards" | "acceptSuffixList") | `warc${string}` | "cdx" | "dedup"
    >
    & { workers: number; maxPages: number; timeout: number; retries: number }
    & { robots: boolean; queueMb: number },
) {
  return {
    ...networkOptions(options),
    workers: options.workers,
    queueBytes: options.queueMb * MIB,
    maxPages: options.maxPages,
    limit: options.limit,
    delayMs: options.delay,
    timeoutMs: options.timeout,
    retries: options.retries,
    robots: options.robots,
    obeyRobotsMeta: options.obeyRobotsMeta,
    robotsTimeoutMs: options.robotsTimeout,
    robotsCacheEntries: options.robotsCacheEntries,
    robotsCacheBytes: options.robotsCacheMb * MIB,
    maxCrawlDelayMs: options.maxCrawlDelay,
    perIp: options.perIp,
    dnsLookups: options.dnsLookups,
    minFree: options.minFree,
  };
}
