/**
 * The worker's side of the pool.
 *
 * @module
 */

import type { MessagePort as ThreadPort } from "node:worker_threads";
import { Doing, LaneCells, SinkCells } from "./_pool_cells.ts";
import { guarded, Overtime } from "./_guard.ts";
import { decodePages, Effort, type PageMessage } from "./_pool_message.ts";
import { prepare, type Prepared, textOf, untouched } from "./_pool_job.ts";
import type { FromLane, LaneSetup, ToLane } from "./_pool_setup.ts";
import { release } from "./_release.ts";
import { RowPorts } from "./_row_ports.ts";
import { languageSample, NO_LANGUAGE } from "./_language.ts";
import { LanguageCells } from "./_language_cells.ts";
import { encodePageRow } from "./page_row.ts";
import type { AssembleRow, PageOutcome, PoolParts, WorkerPage } from "./pool_types.ts";
import type { AskLanguage, RenderedPage } from "./render.ts";

type RenderText = (html: string, page: { url: string }) => RenderedPage;

/** Load what is needed, say that this worker is ready, and serve. */
export async function serve(parts: PoolParts, port: ThreadPort, setup: LaneSetup): Promise<void> {
  const say = (message: FromLane, transfer: ArrayBuffer[] = []) =>
    port.postMessage(message, transfer);
  const assemble = await parts.assembler?.(setup.assembly) ?? encodePageRow;
  const server = new PoolServer(setup, parts, assemble, await loadRenderer(setup), say);
  port.on("message", (message: ToLane) => server.message(message));
  say("listening");
}

/** Renders in this thread, or in a child process where it is not bounded by itself. */
interface Renderer {
  readonly here?: RenderText;
  readonly elsewhere?: (html: string, page: { url: string }) => Promise<RenderedPage>;
  readonly close?: () => PromiseLike<void>;
}

async function loadRenderer(setup: LaneSetup): Promise<Renderer> {
  const { extractor, deadlineMs, memoryMb, childCommand } = setup;
  if (extractor === "none") return {};
  const ask = languagesElsewhere(setup.languages!, deadlineMs / 2);
  if (extractor === "main") {
    const { mainRenderer } = await import("./render.ts");
    return { here: mainRenderer(ask) };
  }
  const { loadIsolatedRenderer } = await import("./isolated.ts");
  const isolated = await loadIsolatedRenderer(extractor, {
    deadlineMs,
    memoryMb,
    detect: (text) => ask(text)(),
    ...(childCommand !== undefined && { command: childCommand }),
  });
  return {
    elsewhere: (html, page) => isolated.render(html, page),
    close: () => isolated[Symbol.asyncDispose](),
  };
}

/** Has languages told by the thread that the pool has for it. */
function languagesElsewhere(
  { cells, place }: Required<LaneSetup>["languages"],
  patienceMs: number,
): AskLanguage {
  const languages = new LanguageCells(cells);
  return (text) => {
    const sample = languageSample(text);
    return sample === "" ? () => NO_LANGUAGE : languages.ask(place, sample, patienceMs);
  };
}

/**
 * Pages are rendered in one turn until it has taken so long, or this part of the deadline if that is less: guarding
 * costs a thread's start and end. The deadline is the turn's, so its last page has so much less.
 */
const TURN_MS = 20, TURN_PART = 8;
/** Nor are there more rows of one turn than fill a message. */
const TURN_BYTES = 256 * 1024;

/** What became of the attempt to render a page. */
interface Attempt {
  readonly row?: Uint8Array<ArrayBuffer>;
  readonly failed: string;
  /** Whether the thread, or its child, did not survive it. */
  readonly poison: boolean;
}

/** A page decoded, which waits for what its turn could not do. */
interface Pending {
  readonly prepared: Prepared;
  readonly text: ReturnType<typeof textOf>;
}

class PoolServer {
  readonly #setup: LaneSetup;
  readonly #parts: PoolParts;
  readonly #assemble: AssembleRow;
  readonly #renderer: Renderer;
  readonly #say: (message: FromLane, transfer?: ArrayBuffer[]) => void;
  readonly #cells: LaneCells;
  readonly #queue: ArrayBuffer[] = [];
  #ports: RowPorts | undefined;
  #running = false;
  #ending = false;
  #detectorLoaded = false;
  /** Whether work was stopped halfway, so that nothing that outlives a page may be relied on. */
  #unfit = false;

  constructor(
    setup: LaneSetup,
    parts: PoolParts,
    assemble: AssembleRow,
    renderer: Renderer,
    say: (message: FromLane, transfer?: ArrayBuffer[]) => void,
  ) {
    this.#setup = setup;
    this.#parts = parts;
    this.#assemble = assemble;
    this.#renderer = renderer;
    this.#say = say;
    this.#cells = new LaneCells(setup.lane);
  }

  message(message: ToLane): void {
    if (message instanceof ArrayBuffer) this.#queue.push(message);
    else if (message === "end") this.#ending = true;
    else {
      const sink = new SinkCells(this.#setup.sink);
      this.#ports = new RowPorts(message.ports, this.#setup.window, this.#cells, sink);
      return this.#say("ready");
    }
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    try {
      for (let buffer = this.#queue.shift(); buffer; buffer = this.#queue.shift()) {
        const messages = [...decodePages(buffer)];
        for (let at = 0; at < messages.length;) {
          at += await this.#serve(messages, at);
          if (!this.#unfit) continue;
          await this.#send();
          return this.#say("unfit");
        }
        // Nobody waits for rows that could go; while there is work, small ones go together.
        if (this.#queue.length === 0) await this.#send();
        this.#say([buffer, this.#cells.finished], [buffer]);
      }
      if (this.#ending) await this.#end();
    } catch (error) {
      this.#say({ fatal: error instanceof Error ? error.message : String(error) });
    }
    this.#running = false;
  }

  /** The pages from one on that a turn has time for; how many they were. */
  async #serve(messages: readonly PageMessage[], from: number): Promise<number> {
    const cells = this.#cells;
    const attempts = await this.#attempts(messages, from);
    cells.turn(Doing.Idle);
    for (const [i, { row, failed, poison }] of attempts.entries()) {
      const { page, effort } = messages[from + i]!;
      if (poison) this.#unfit = true;
      // Only the last can be without a row, so that it is the one that was started last.
      if (row === undefined) cells.turn(Doing.Rendering);
      if (effort === Effort.Render && row === undefined) {
        this.#say({ ordinal: cells.started, failed, poison });
      }
      const bytes = row ?? await this.#withoutRendering(page, failed, effort);
      cells.turn(Doing.Idle);
      if (!this.#ports!.takes(bytes)) await this.#send();
      this.#ports!.add(bytes);
      if (!this.#ports!.takes(undefined)) await this.#send();
    }
    return attempts.length;
  }

  /** Send the rows there are, when there is room. */
  async #send(): Promise<void> {
    const cells = this.#cells, ports = this.#ports!;
    if (ports.rows === 0) return;
    if (!ports.fits) {
      this.#say(cells.finished);
      cells.turn(Doing.WaitingForSink);
      await ports.room();
      cells.turn(Doing.Idle);
    }
    // Given up, as one that hangs, it has nothing more to do than to end.
    if (!cells.enter()) return await new Promise(() => {});
    cells.finish(ports.send());
    cells.leave();
  }

  /** Starts a page, and those behind it while there is time; all but the last have a row. */
  async #attempts(messages: readonly PageMessage[], from: number): Promise<readonly Attempt[]> {
    const { effort, reason } = messages[from]!, cells = this.#cells;
    const begun = cells.started;
    cells.start();
    if (effort !== Effort.Render) return [{ failed: reason, poison: false }];
    const attempts: Attempt[] = [];
    try {
      const pending = await this.#guarded(() => this.#turn(messages, from, attempts));
      if (pending !== undefined) {
        const { page } = messages[from + attempts.length]!;
        const row = await this.#completed(page, pending);
        attempts.push({ row, failed: "", poison: false });
      }
    } catch (error) {
      const failed = error instanceof Error ? error.message : String(error);
      // A child that was lost leaves its error as the cause.
      const poison = error instanceof Overtime ||
        error instanceof Error && error.name === "RenderError" && error.cause !== undefined;
      // Time may be up just when a page is done: that is nobody's fault, but the thread's end all the same.
      if (cells.started - begun === attempts.length) this.#unfit = true;
      else attempts.push({ failed: failed || "it cannot be rendered", poison });
    }
    return attempts;
  }

  /** Renders the page that was started and others, until one cannot be at once or the turn is over. */
  #turn(messages: readonly PageMessage[], from: number, attempts: Attempt[]): Pending | undefined {
    const until = performance.now() + Math.min(TURN_MS, this.#setup.deadlineMs / TURN_PART);
    let bytes = 0;
    for (let at = from; at < messages.length; at++) {
      const { page, effort } = messages[at]!;
      if (at > from) {
        const over = effort !== Effort.Render || bytes + page.body.length > TURN_BYTES;
        if (over || performance.now() >= until) break;
        this.#cells.start();
      }
      const made = this.#render(page);
      if (!(made instanceof Uint8Array)) return made;
      attempts.push({ row: made, failed: "", poison: false });
      bytes += made.length;
    }
    return undefined;
  }

  /** The page's row, unless it takes the detector of encodings, or another process, to make it. */
  #render(page: WorkerPage): Uint8Array<ArrayBuffer> | Pending {
    const { here, elsewhere } = this.#renderer;
    const prepared = prepare(page, this.#setup.maxDecoded, this.#parts);
    if (!prepared.html || !page.render || !here && !elsewhere) {
      return this.#row(page, { ...prepared, failed: "" });
    }
    const text = textOf(page, prepared, this.#parts);
    if (text.source === "fallback" && !this.#detectorLoaded || !here) return { prepared, text };
    return this.#rendered(page, prepared, text.charset, here(text.text, page));
  }

  async #completed(
    page: WorkerPage,
    { prepared, text: first }: Pending,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { here, elsewhere } = this.#renderer;
    let text = first;
    if (text.source === "fallback" && !this.#detectorLoaded) {
      await this.#parts.loadDetector();
      this.#detectorLoaded = true;
      text = await this.#guarded(() => textOf(page, prepared, this.#parts));
    }
    const rendered = elsewhere && await elsewhere(text.text, page);
    return await this.#guarded(() =>
      this.#rendered(page, prepared, text.charset, rendered ?? here!(text.text, page))
    );
  }

  /** The row of a page that could not be rendered, with as much as there is to be had. */
  async #withoutRendering(
    page: WorkerPage,
    failed: string,
    effort: Effort,
  ): Promise<Uint8Array<ArrayBuffer>> {
    if (effort !== Effort.Bare) {
      try {
        return await this.#guarded(() => {
          const prepared = prepare(page, this.#setup.maxDecoded, this.#parts);
          return this.#row(page, { ...prepared, failed });
        });
      } catch (error) {
        // Decoding did not go well either. If it was the row, that will show again.
        if (error instanceof Overtime) this.#unfit = true;
      }
    }
    return await this.#guarded(() => this.#row(page, untouched(page, failed)));
  }

  #rendered(
    page: WorkerPage,
    prepared: Omit<PageOutcome, "page" | "failed">,
    charset: string,
    rendered: RenderedPage,
  ): Uint8Array<ArrayBuffer> {
    return this.#row(page, { ...prepared, charset, page: rendered, failed: "" });
  }

  #row(page: WorkerPage, outcome: PageOutcome): Uint8Array<ArrayBuffer> {
    const row = this.#assemble(page, outcome, this.#ports!.allocate);
    if (outcome.decoded.buffer !== page.body.buffer) release(outcome.decoded);
    return row;
  }

  #guarded<T>(work: () => T): Promise<T> {
    return guarded(work, this.#setup.deadlineMs);
  }

  async #end(): Promise<void> {
    await this.#renderer.close?.();
    this.#ports?.end();
    this.#say("ended");
  }
}
