/**
 * Options as data. A table of options is the one place that a command's options are written down:
 * the scanner's flags, the help, the environment variables and the checks are derived from it.
 *
 * @module
 */

import type { OptionType } from "./types.ts";

/** What the values of a table look like once resolved: option key → value. */
export type Values = object;

/** What every kind of option says about itself. */
interface OptionBase {
  /** One sentence for help, without the default and without a full stop. */
  readonly help: string;
  /** One letter, for `-j`. */
  readonly short?: string;
}

/**
 * A yes-or-no option; `--x` and `--no-x`. Help shows the form that changes something, and `help` says
 * what that form does.
 */
export interface FlagSpec extends OptionBase {
  readonly kind: "flag";
  readonly default: boolean;
}

/** An option with one value. The last one given counts. */
export interface ValueSpec<T> extends OptionBase {
  readonly kind: "value";
  readonly type: OptionType<T>;
  /** Built-in value; undefined where the option may stay unset. */
  readonly default: T | undefined;
  /** The command cannot run without it. */
  readonly required: boolean;
  /** The default in words, where the value alone would not say it (`workers/8, 16 to 128`). */
  readonly defaultText?: string;
  /** The default as a function of the other resolved values. */
  readonly computed?: (values: Readonly<Record<string, unknown>>) => T;
}

/** An option that may be given several times. */
export interface ListSpec<T> extends OptionBase {
  readonly kind: "list";
  readonly type: OptionType<T>;
  readonly default: readonly T[];
  /** Whether one text may hold several values, separated by commas. Elsewhere by line ends. */
  readonly commas: boolean;
}

/** Any option, its value's type hidden. */
// deno-lint-ignore no-explicit-any
export type AnyOptionSpec = FlagSpec | ValueSpec<any> | ListSpec<any>;

/** The kind of option whose resolved value is `V`. */
export type OptionSpec<V> = [V] extends [boolean] ? FlagSpec
  : [V] extends [readonly (infer T)[]] ? ListSpec<T>
  : ValueSpec<Exclude<V, undefined>>;

/** One option for each key of `O`. Keys are camelCase; the option's name is the kebab-case of it. */
export type OptionTable<O extends Values> = { readonly [K in keyof O]-?: OptionSpec<O[K]> };

/** A table whose types are hidden, for code that works on any. */
export type AnyOptionTable = Readonly<Record<string, AnyOptionSpec>>;

/** A yes-or-no option. */
export function flag(byDefault: boolean, help: string, short?: string): FlagSpec {
  return { kind: "flag", default: byDefault, help, ...(short === undefined ? {} : { short }) };
}

/** An option with a built-in value, or one that may stay unset (`undefined`). */
export function value<T>(
  type: OptionType<T>,
  byDefault: T | undefined,
  help: string,
  more: { short?: string; defaultText?: string } = {},
): ValueSpec<T> {
  return { kind: "value", type, default: byDefault, required: false, help, ...more };
}

/** An option that must be given. */
export function required<T>(type: OptionType<T>, help: string): ValueSpec<T> {
  return { kind: "value", type, default: undefined, required: true, help };
}

/** An option whose default follows from other options. */
export function computed<T>(
  type: OptionType<T>,
  defaultText: string,
  compute: (values: Readonly<Record<string, unknown>>) => T,
  help: string,
): ValueSpec<T> {
  return {
    kind: "value",
    type,
    default: undefined,
    required: false,
    help,
    defaultText,
    computed: compute,
  };
}

/** An option that may be given several times. */
export function list<T>(
  type: OptionType<T>,
  help: string,
  more: { commas?: boolean } = {},
): ListSpec<T> {
  return { kind: "list", type, default: [], commas: more.commas ?? false, help };
}

/** `maxPages` → `max-pages`. */
export function optionName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `maxPages` → `CCRAWL_MAX_PAGES`; with `negated`, `robots` → `CCRAWL_NO_ROBOTS`. */
export function variableName(key: string, negated = false): string {
  return `CCRAWL_${negated ? "NO_" : ""}${optionName(key).replaceAll("-", "_").toUpperCase()}`;
}

/** The form that help and messages show: `--max-pages`, and `--no-robots` for what is on by default. */
export function displayName(key: string, spec: AnyOptionSpec): string {
  return spec.kind === "flag" && spec.default ? `--no-${optionName(key)}` : `--${optionName(key)}`;
}

/** The default in words; undefined where there is none. */
export function defaultText(spec: AnyOptionSpec): string | undefined {
  if (spec.kind === "flag") return undefined;
  if (spec.kind === "list") {
    return spec.default.length === 0 ? undefined : spec.default.map(spec.type.format).join(",");
  }
  if (spec.defaultText !== undefined) return spec.defaultText;
  return spec.default === undefined ? undefined : spec.type.format(spec.default);
}
