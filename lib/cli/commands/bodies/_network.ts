/**
 * Options of the network, as the engine takes them.
 *
 * @module
 */

import { CommandError, ExitCode } from "../../errors.ts";
import type { GlobalOptions } from "../../options/global.ts";

/** The certificates of a PEM file, for `--ca-cert`. @throws {CommandError} When it cannot be read. */
export function readCertificates(path: string | undefined): string[] {
  if (path === undefined) return [];
  let pem: string;
  try {
    pem = Deno.readTextFileSync(path);
  } catch (cause) {
    throw new CommandError(
      `Cannot read --ca-cert ${path}: ${(cause as Error).message}`,
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

/** What every fetching command shares. */
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
