import { decodeFrames, encodeFrame } from "./_frames.ts";
import { RENDER_CHILD_ARGUMENT } from "./child_argument.ts";
import type { ChildAnswer, ChildRequest } from "./_child.ts";
import { type LanguageDetector, loadLanguageDetector } from "./language.ts";
import { extractLinks } from "./links.ts";
import { askHere, complete, type Content, type RenderedPage } from "./render.ts";

/** Names and versions of the extractors made of other people's libraries. */
const EXTRACTORS = {
  readability: "readability@0.6.0",
  raw: "raw@7.2.5",
} as const;

/** A page was not rendered. The message says why; the renderer goes on with the next one. */
export class RenderError extends Error {
  /** Tells this class of error from others, also across copies of the module. */
  override readonly name = "RenderError";
}

/** Options of {@linkcode loadIsolatedRenderer}. */
export interface IsolatedOptions {
  /** Milliseconds after which the child is killed. @default 5000 */
  readonly deadlineMs?: number;
  /** Memory of the child in MB, where {@linkcode IsolatedOptions.command} is the default. @default 512 */
  readonly memoryMb?: number;
  /**
   * Program and arguments that start the child, for executables that hold the whole program in one
   * file: they are to call `runRenderChild`. By default the running `deno` runs the child's own
   * module without permissions; a compiled executable runs itself with `RENDER_CHILD_ARGUMENT`.
   */
  readonly command?: readonly [program: string, ...args: string[]];
  /** Tells languages. @default what `loadLanguageDetector` loads */
  readonly detect?: LanguageDetector;
}

/** Renders in a child process; pages given at once are rendered one after the other. */
export interface IsolatedRenderer extends AsyncDisposable {
  /**
   * Render one page.
   *
   * @throws {RenderError} When the page was refused before rendering, broke the library, or took too long.
   */
  render(html: string, page: { url: string }): Promise<RenderedPage>;
}

/**
 * Load the extractor `readability` (the article as @mozilla/readability sees it) or `raw` (the whole
 * page), both written by turndown. They can hang and run out of memory on a hostile page, so the
 * page is screened and rendered in a child process, which is killed at the deadline and replaced.
 *
 * Needs `--allow-run` for the running executable.
 */
export async function loadIsolatedRenderer(
  extractor: "readability" | "raw",
  options: IsolatedOptions = {},
): Promise<IsolatedRenderer> {
  const [detect, { screen }] = await Promise.all([
    options.detect ?? loadLanguageDetector(),
    import("./_screen.ts"),
  ]);
  const deadlineMs = options.deadlineMs ?? 5_000;
  let child: Child | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  const renderOne = async (html: string, url: string): Promise<Content> => {
    const refused = screen(html);
    if (refused !== undefined) {
      throw new RenderError(`Cannot render ${url} with ${extractor}: ${refused}`);
    }
    child ??= new Child(options.command ?? defaultCommand(options.memoryMb ?? 512));
    let answer: ChildAnswer;
    try {
      answer = await child.ask({ html, url, extractor, deadlineMs }, deadlineMs);
    } catch (cause) {
      const lost = child;
      child = undefined;
      await lost.kill();
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new RenderError(`Cannot render ${url} with ${extractor}: ${why}`, { cause });
    }
    if ("failed" in answer) {
      throw new RenderError(`Cannot render ${url} with ${extractor}: ${answer.failed}`);
    }
    return answer.content;
  };

  return {
    render(html, { url }) {
      const rendered = turn.then(() => renderOne(html, url)).then((content) =>
        complete(content, extractLinks(html), EXTRACTORS[extractor], askHere(detect))
      );
      turn = rendered.catch(() => {}); // the caller has the error; the next page has its turn
      return rendered;
    },
    async [Symbol.asyncDispose]() {
      await turn;
      await child?.kill();
      child = undefined;
    },
  };
}

function defaultCommand(memoryMb: number): readonly [string, ...string[]] {
  const program = Deno.execPath();
  if (Deno.build.standalone) return [program, RENDER_CHILD_ARGUMENT];
  const memory = `--v8-flags=--max-old-space-size=${memoryMb}`;
  return [
    program,
    "run",
    "--quiet",
    "--no-prompt",
    memory,
    new URL("./_child_main.ts", import.meta.url).href,
  ];
}

/** One child process, asked one thing at a time. */
class Child {
  readonly #process: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #answers: AsyncGenerator<unknown>;
  #warm = false;

  constructor([program, ...args]: readonly [string, ...string[]]) {
    this.#process = new Deno.Command(program, {
      args,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#input = this.#process.stdin.getWriter();
    this.#answers = decodeFrames(this.#process.stdout);
  }

  /** Send a page, wait for the answer. Rejects when the time is up or the child is gone. */
  async ask(request: ChildRequest, deadlineMs: number): Promise<ChildAnswer> {
    // The first page also waits for the libraries to load.
    const limit = this.#warm ? deadlineMs : deadlineMs + 10_000;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it took longer than ${deadlineMs} ms`)), limit);
    });
    try {
      const exchange = (async () => {
        await this.#input.write(encodeFrame(request));
        return await this.#answers.next();
      })();
      exchange.catch(() => {}); // it may fail after the race is over, when the child is killed
      const { value, done } = await Promise.race([exchange, late]);
      if (done) throw new Error("the process that renders ended");
      this.#warm = true;
      return value as ChildAnswer;
    } finally {
      clearTimeout(timer);
    }
  }

  async kill(): Promise<void> {
    try {
      this.#process.kill("SIGKILL");
    } catch (error) {
      // It has ended by itself.
      if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
    }
    await this.#process.status;
    await this.#input.abort().catch(() => {}); // the pipe went with the process
    await this.#answers.return(undefined).catch(() => {});
  }
}
