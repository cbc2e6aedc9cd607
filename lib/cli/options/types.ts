/**
 * The types an option's value can have: how text becomes a value and a value text.
 *
 * @module
 */

import { isIP } from "node:net";
import { didYouMean } from "../suggest.ts";

/** One type of value. */
export interface OptionType<T> {
  /** Placeholder in help: `DURATION`, `SIZE`, `N`. */
  readonly placeholder: string;
  /** The closed list of values, where there is one; for help, near misses and completion. */
  readonly values?: readonly string[];
  /**
   * @throws {RangeError} what is wrong with the text, as the end of the sentence "--delay=x: …".
   */
  parse(text: string): T;
  /** The text that parses to `value`; for help and for showing a configuration. */
  format(value: T): string;
}

const KIB = 1024;
const SIZE_UNITS: readonly (readonly [string, number])[] = [
  ["TB", KIB ** 4],
  ["GB", KIB ** 3],
  ["MB", KIB ** 2],
  ["KB", KIB],
];

/** Bytes: `512MB`, `1GB`, `1.5GB`, or a plain number of bytes. Units are powers of 1024. */
export function size(bounds: { min?: number; max?: number } = {}): OptionType<number> {
  return {
    placeholder: "SIZE",
    parse(text: string): number {
      const match = /^(\d{1,16}(?:\.\d{1,6})?) ?([KMGT]?)I?B?$/i.exec(text.trim());
      if (match === null) {
        throw new RangeError("not a size; write 512MB, 1GB, or a number of bytes");
      }
      const unit = SIZE_UNITS.find(([name]) => name.startsWith((match[2] ?? "").toUpperCase()));
      const factor = match[2] === "" ? 1 : unit![1];
      return within(Math.round(Number(match[1]) * factor), bounds, formatSizeOption);
    },
    format: formatSizeOption,
  };
}

function formatSizeOption(bytes: number): string {
  for (const [name, factor] of SIZE_UNITS) {
    if (bytes >= factor && bytes % factor === 0) return `${bytes / factor}${name}`;
  }
  return String(bytes);
}

const DURATION_UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
];

/** Timers of the runtime hold 31 bits of milliseconds and fire at once beyond. */
const LONGEST_DURATION = 24 * 86_400_000;

/** Milliseconds: `250ms`, `1s`, `2m`, `1h30m`, `0`. At most 24 days. */
export function duration(bounds: { min?: number; max?: number } = {}): OptionType<number> {
  return {
    placeholder: "DURATION",
    parse(text: string): number {
      const trimmed = text.trim().toLowerCase();
      if (trimmed === "0") return within(0, bounds, formatDurationOption);
      let at = 0;
      let total = 0;
      let rank = -1;
      while (at < trimmed.length) {
        const part = /^(\d{1,12}(?:\.\d{1,6})?)(ms|[dhms])/.exec(trimmed.slice(at, at + 24));
        const next = part === null ? -1 : DURATION_UNITS.findIndex(([unit]) => unit === part[2]);
        if (part === null || next <= rank) throw notADuration(trimmed);
        total += Number(part[1]) * DURATION_UNITS[next]![1];
        rank = next;
        at += part[0].length;
      }
      if (at === 0) throw notADuration(trimmed);
      const max = Math.min(bounds.max ?? LONGEST_DURATION, LONGEST_DURATION);
      return within(Math.round(total), { ...bounds, max }, formatDurationOption);
    },
    format: formatDurationOption,
  };
}

function notADuration(text: string): RangeError {
  return /^\d+(\.\d+)?$/.test(text)
    ? new RangeError(`a duration needs a unit; write ${text}s or ${text}ms`)
    : new RangeError("not a duration; write 250ms, 1s, 2m, 1h30m");
}

function formatDurationOption(ms: number): string {
  if (ms === 0) return "0";
  let rest = ms;
  let text = "";
  for (const [unit, factor] of DURATION_UNITS) {
    const n = Math.floor(rest / factor);
    if (n > 0) text += `${n}${unit}`;
    rest -= n * factor;
  }
  return text;
}

/** A whole number. @default min 0 */
export function count(bounds: { min?: number; max?: number } = {}): OptionType<number> {
  const min = bounds.min ?? 0;
  return {
    placeholder: "N",
    parse(text: string): number {
      const trimmed = text.trim();
      if (!/^-?\d{1,16}$/.test(trimmed)) throw new RangeError("not a whole number");
      return within(Number(trimmed), { ...bounds, min }, String);
    },
    format: String,
  };
}

/** Any text that is not empty. */
export function text(placeholder = "TEXT"): OptionType<string> {
  return {
    placeholder,
    parse(value: string): string {
      if (value === "") throw new RangeError("needs a value");
      return value;
    },
    format: (value) => value,
  };
}

/** The beginning of the names of output files. */
export const filePrefix: OptionType<string> = {
  placeholder: "NAME",
  parse(value: string): string {
    if (/^[\w@+=,-][\w.@+=,-]{0,99}$/.test(value)) return value;
    throw new RangeError(
      "must be letters, digits, . _ and -, 100 of them at most, and not begin with a dot",
    );
  },
  format: (value) => value,
};

/** A path of the file system; `-` only where the option says so. */
export function path(placeholder = "FILE", options: { stdin?: boolean } = {}): OptionType<string> {
  return {
    placeholder: options.stdin ? `${placeholder}|-` : placeholder,
    parse(value: string): string {
      if (value === "") throw new RangeError("needs a path");
      if (value.includes("\0")) throw new RangeError("a path cannot hold a NUL character");
      if (value === "-" && !options.stdin) {
        throw new RangeError("stdin cannot be used here; give a path");
      }
      return value;
    },
    format: (value) => value,
  };
}

/** One of a closed list. */
export function choice<T extends string>(values: readonly T[]): OptionType<T> {
  return {
    placeholder: values.join("|"),
    values,
    parse(value: string): T {
      const found = values.find((v) => v === value.toLowerCase());
      if (found !== undefined) return found;
      const near = didYouMean(value, values);
      throw new RangeError(
        `must be one of ${values.join(", ")}${near === undefined ? "" : `; ${near}`}`,
      );
    },
    format: (value) => value,
  };
}

/** A language, by its ISO 639-3 code. */
export const language: OptionType<string> = {
  placeholder: "CODE",
  parse(value: string): string {
    const code = value.trim().toLowerCase();
    if (/^[a-z]{3}$/.test(code)) return code;
    throw new RangeError("not a language; write its ISO 639-3 code, such as eng, deu or zho");
  },
  format: (value) => value,
};

/** Where something listens. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** `HOST:PORT`, `[::1]:PORT`, `:PORT` or `PORT`; loopback when no host is given. */
export const hostPort: OptionType<HostPort> = {
  placeholder: "HOST:PORT",
  parse(value: string): HostPort {
    const match = /^(?:(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})?:)?(\d{1,5})$/i.exec(value.trim());
    const port = Number(match?.[2]);
    if (match === null || port > 65_535) {
      throw new RangeError("not an address; write 127.0.0.1:9090, :9090 or 9090");
    }
    const host = match[1] ?? "127.0.0.1";
    return { host: host.startsWith("[") ? host.slice(1, -1) : host, port };
  },
  format: ({ host, port }) => (host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`),
};

/** A name server. */
export interface ResolverAddress {
  readonly ip: string;
  /** @default 53 */
  readonly port: number;
}

/** `IP`, `IP:PORT` or `[IPv6]:PORT`. */
export const resolverAddress: OptionType<ResolverAddress> = {
  placeholder: "IP[:PORT]",
  parse(value: string): ResolverAddress {
    const trimmed = value.trim();
    if (isIP(trimmed) !== 0) return { ip: trimmed, port: 53 };
    const match = /^(?:\[([^\]]{2,45})\]|([0-9.]{7,15}))(?::(\d{1,5}))?$/.exec(trimmed);
    const ip = match?.[1] ?? match?.[2] ?? "";
    const port = Number(match?.[3] ?? 53);
    if (isIP(ip) === 0 || port < 1 || port > 65_535) {
      throw new RangeError("not the address of a name server; write 9.9.9.9 or 127.0.0.1:5353");
    }
    return { ip, port };
  },
  format: ({ ip, port }) => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`),
};

const YES = new Set(["1", "true", "yes", "y", "on", "t"]);
const NO = new Set(["0", "false", "no", "n", "off", "f"]);

/** Yes or no, as an environment variable or a configuration file says it. */
export const yesNo: OptionType<boolean> = {
  placeholder: "yes|no",
  parse(value: string): boolean {
    const lower = value.trim().toLowerCase();
    if (YES.has(lower)) return true;
    if (NO.has(lower)) return false;
    throw new RangeError("not a yes or no; write 1 or 0, true or false, yes or no");
  },
  format: (value) => (value ? "yes" : "no"),
};

function within(
  value: number,
  { min, max }: { min?: number; max?: number },
  format: (value: number) => string,
): number {
  if (!Number.isSafeInteger(value)) throw new RangeError("too large");
  if (min !== undefined && value < min) throw new RangeError(`must be ${format(min)} or more`);
  if (max !== undefined && value > max) throw new RangeError(`must be ${format(max)} or less`);
  return value;
}
