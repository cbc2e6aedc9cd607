/** The crawler as a process of its own, as a test sees it. */

/** A record of `crawl run` as it comes over stdout. */
export interface SeenRecord {
  readonly url: string;
  readonly status: number;
  readonly warc_file: string;
  readonly warc_offset: number;
  readonly error: string;
}

const CLI = new URL("../../cli.ts", import.meta.url).href;
/** `deno` and what stands between it and the command's words. */
export const CCRAWL: readonly string[] = [
  Deno.execPath(),
  ...["run", "-A", "--quiet", "--no-check", CLI],
];

/** Ends a test whose process does not do what it waits for. */
const PATIENCE_MS = 120_000;

/** How a process is started. */
export interface ProcessOptions {
  /** What stands before the command, as `strace` does. */
  readonly wrapper?: readonly string[];
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  /** Keep every record of stdout; a count alone where there are many. @default true */
  readonly keep?: boolean;
}

/** How a process ended. */
export interface Ended {
  readonly code: number;
  readonly signal: Deno.Signal | null;
}

/** A running `ccrawl`, its output read as it comes. */
export class Ccrawl {
  readonly records: SeenRecord[] = [];
  /** Records on stdout so far. */
  count = 0;
  stdout = "";
  stderr = "";
  /** Resolves when the process has ended and all that it wrote was read. */
  readonly ended: Promise<Ended>;
  readonly #child: Deno.ChildProcess;
  readonly #keep: boolean;
  #over = false;
  #waiting: (() => void)[] = [];

  constructor(args: readonly string[], options: ProcessOptions = {}) {
    const [command, ...rest] = [...options.wrapper ?? [], ...CCRAWL, ...args];
    this.#keep = options.keep ?? true;
    this.#child = new Deno.Command(command!, {
      args: rest,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.env === undefined ? {} : { env: options.env }),
    }).spawn();
    this.ended = this.#read();
  }

  get pid(): number {
    return this.#child.pid;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Resolves once `condition` holds; checked whenever something was read. False: it ended before. */
  async until(condition: () => boolean): Promise<boolean> {
    let waited = 0, at = performance.now();
    while (!condition()) {
      if (this.#over) return condition();
      // Time in which all of the machine stood still is not the process's.
      waited += Math.min(1000, performance.now() - at);
      at = performance.now();
      if (waited > PATIENCE_MS) {
        this.kill("SIGKILL");
        throw new Error(`Cannot wait any longer for ${condition}; stderr: ${this.stderr}`);
      }
      const timer = Promise.withResolvers<void>();
      const id = setTimeout(timer.resolve, 100);
      await Promise.race([
        timer.promise,
        new Promise<void>((resolve) => this.#waiting.push(resolve)),
      ]);
      clearTimeout(id);
    }
    return true;
  }

  kill(signal: Deno.Signal): void {
    if (!this.#over) this.#child.kill(signal);
  }

  /** @throws {Error} With what it said, where it ended with another code. */
  async succeeds(code = 0): Promise<void> {
    const ended = await this.ended;
    if (ended.code !== code) {
      throw new Error(`It ended with ${ended.code}, not ${code}: ${this.stderr}${this.stdout}`);
    }
  }

  async #read(): Promise<Ended> {
    await Promise.all([
      this.#lines(this.#child.stdout, (line) => {
        this.count++;
        if (!this.#keep) return;
        this.stdout += line + "\n";
        if (line.startsWith('{"url"')) this.records.push(JSON.parse(line) as SeenRecord);
      }),
      this.#lines(this.#child.stderr, (line) => this.stderr += line + "\n"),
    ]);
    const { code, signal } = await this.#child.status;
    this.#over = true;
    this.#wake();
    return { code, signal };
  }

  async #lines(stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
    let rest = "";
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop()!;
      for (const line of lines) take(line);
      this.#wake();
    }
    // The last line of a process that was killed may be cut: it is none.
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** Runs ccrawl to its end. */
export async function ccrawl(
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<Ended & { stdout: string; stderr: string }> {
  const process = new Ccrawl(args, options);
  const ended = await process.ended;
  return { ...ended, stdout: process.stdout, stderr: process.stderr };
}
