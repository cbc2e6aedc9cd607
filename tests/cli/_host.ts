import type { CliHost } from "../../lib/cli/host.ts";

/** A process of the test's own. */
export interface TestHost extends CliHost {
  out(): string;
  err(): string;
  send(signal: "SIGINT" | "SIGTERM"): void;
  readonly exits: number[];
  listening(): number;
}

export interface TestHostOptions {
  readonly env?: Record<string, string>;
  readonly terminal?: boolean;
  readonly columns?: number;
  /** Stands in for writing to stdout. */
  readonly write?: (bytes: Uint8Array) => Promise<void>;
  /** What stdin holds. @default nothing */
  readonly stdin?: ReadableStream<Uint8Array>;
}

export function testHost(options: TestHostOptions = {}): TestHost {
  const decoder = new TextDecoder();
  const listeners = new Set<(signal: "SIGINT" | "SIGTERM") => void>();
  const exits: number[] = [];
  let out = "";
  let err = "";
  return {
    env: (name) => options.env?.[name],
    stdout: {
      write: options.write ?? ((bytes) => {
        out += decoder.decode(bytes, { stream: true });
        return Promise.resolve();
      }),
      terminal: options.terminal ?? false,
      columns: () => options.columns,
    },
    stderr: {
      write: (text) => {
        err += text;
      },
      terminal: options.terminal ?? false,
      columns: () => options.columns,
    },
    stdin: () => options.stdin ?? new Blob([]).stream(),
    onSignal(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    exit: (code) => {
      exits.push(code);
    },
    out: () => out,
    err: () => err,
    send: (signal) => listeners.forEach((listener) => listener(signal)),
    exits,
    listening: () => listeners.size,
  };
}
