/**
 * What a command meets of the process it runs in, so that tests can put their own in its place.
 *
 * @module
 */

/** Where bytes go. */
export interface ByteSink {
  /**
   * Write all of `bytes`; resolves once the system has them.
   * @throws whatever the system says; a reader that has gone is `Deno.errors.BrokenPipe`.
   */
  write(bytes: Uint8Array): Promise<void>;
  /** Whether a person is looking. */
  readonly terminal: boolean;
  /** Width of the terminal in columns; undefined where there is none. */
  columns(): number | undefined;
}

/** Where messages go, at once. */
export interface TextSink {
  write(text: string): void;
  readonly terminal: boolean;
  columns(): number | undefined;
}

/** How long a pipe that does not block and is full is left to its reader, in ms. */
const FULL_PIPE_MS = 10;

/** The process as commands see it. */
export interface CliHost {
  readonly env: (name: string) => string | undefined;
  readonly stdout: ByteSink;
  readonly stderr: TextSink;
  /** Opened only when something reads it. */
  readonly stdin: () => ReadableStream<Uint8Array>;
  /** Call `listener` at each SIGINT and SIGTERM until the returned function is called. */
  readonly onSignal: (listener: (signal: "SIGINT" | "SIGTERM") => void) => () => void;
  /** End the process now. */
  readonly exit: (code: number) => void;
}

/** The real process. */
export function processHost(): CliHost {
  const encoder = new TextEncoder();
  return {
    env: (name) => Deno.env.get(name),
    stdout: {
      async write(bytes) {
        for (let at = 0; at < bytes.length;) {
          try {
            at += await Deno.stdout.write(bytes.subarray(at));
          } catch (error) {
            // Whoever made the pipe, or shares the terminal, has set it not to block: it is full for now.
            if (!(error instanceof Deno.errors.WouldBlock)) throw error;
            await new Promise((resolve) => setTimeout(resolve, FULL_PIPE_MS));
          }
        }
      },
      terminal: Deno.stdout.isTerminal(),
      columns,
    },
    stderr: {
      write(text) {
        try {
          const bytes = encoder.encode(text);
          for (let at = 0; at < bytes.length;) at += Deno.stderr.writeSync(bytes.subarray(at));
        } catch {
          // Nobody can be told. A crawl of months must not end because its log's reader has gone, or
          // because the disk that its log is on is full.
        }
      },
      terminal: Deno.stderr.isTerminal(),
      columns,
    },
    stdin: () => Deno.stdin.readable,
    onSignal(listener) {
      // Windows knows SIGINT only.
      const signals = Deno.build.os === "windows"
        ? ["SIGINT"] as const
        : ["SIGINT", "SIGTERM"] as const;
      const added = signals.map((signal) => {
        const handler = (): void => listener(signal);
        Deno.addSignalListener(signal, handler);
        return () => Deno.removeSignalListener(signal, handler);
      });
      return () => added.forEach((remove) => remove());
    },
    exit: (code) => Deno.exit(code),
  };
}

function columns(): number | undefined {
  try {
    const { columns } = Deno.consoleSize();
    return columns > 0 ? columns : undefined;
  } catch {
    // Neither stdin, stdout nor stderr is a terminal.
    return undefined;
  }
}
