/**
 * What the door and the Worker say to each other.
 *
 * @module
 */

import type { WirePut } from "./_wire.ts";
import type { WireError } from "./errors.ts";
import type {
  ControlCommand,
  FrontierOptions,
  FrontierStats,
  HostPace,
  PutResult,
} from "./types.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The options that can cross: all but the callbacks. */
export type WireOptions = Omit<FrontierOptions, "onWarning">;

/** A verb. Those with an `id` are answered, those that change the state once they are durable. */
export type Request =
  | { readonly verb: "open"; readonly id: number; readonly options: WireOptions }
  | { readonly verb: "now" | "stats" | "close"; readonly id: number }
  | { readonly verb: "put"; readonly id: number; readonly batch: WirePut }
  | {
    readonly verb: "claim";
    readonly id: number;
    readonly hosts: number;
    readonly perHost: number;
    readonly horizonMs: number;
  }
  | { readonly verb: "complete"; readonly id: number; readonly batch: Bytes }
  | { readonly verb: "block"; readonly id: number; readonly host: string; readonly until: number }
  | {
    readonly verb: "delay";
    readonly id: number;
    readonly host: string;
    readonly delayMs: number | undefined;
  }
  | {
    readonly verb: "priority";
    readonly id: number;
    readonly host: string;
    readonly priority: number;
  }
  | { readonly verb: "paces"; readonly id: number; readonly paces: readonly HostPace[] }
  | { readonly verb: "getCached"; readonly id: number; readonly key: string }
  | { readonly verb: "release"; readonly batch: Bytes }
  | {
    readonly verb: "putCached";
    readonly key: string;
    readonly value: Uint8Array;
    readonly expires: number;
  };

/** What answers carry, whatever the verb. */
export type Answer =
  | undefined
  | number
  | PutResult
  | FrontierStats
  | Bytes
  | { value: Uint8Array; expires: number };

/** What comes back. */
export type Reply =
  | { readonly id: number; readonly value: Answer }
  | { readonly id: number; readonly error: WireError }
  | { readonly control: ControlCommand }
  | { readonly warning: string };
