/**
 * Questions to the language thread, in memory that it shares with those who ask: a place for each, which
 * holds a sample of text and then the answer. Who asks does something else meanwhile, and waits for what is left of it.
 *
 * @module
 */

import { NO_LANGUAGE } from "./_language.ts";
import type { DetectedLanguage } from "./language.ts";

/** UTF-16 units of a question. */
const MOST = 1024;
/** Parts that a wait is made of: time in which the whole process stood still uses up one, not all. */
const WAITS = 8;

/** Cells of all. */
enum Head {
  /** Moves with every question. */
  Bell,
  /** Of the thread that is to answer; one of another term ends. */
  Term,
  /** Questions answered; it wraps. */
  Answered,
  /** The place whose question is looked at, counted from 1; 0 for none. */
  Serving,
  /** Which of the place's questions that is: who asked may be at the next one. */
  ServingTicket,
  /** Not 0 when nobody will answer any more. */
  Closed,
  Count,
}

/** Cells of a place. */
enum Cell {
  /** Odd while a question waits for its answer; it only ever grows, and wraps. */
  Ticket,
  /** Units of the question. */
  Length,
  /** The answer: three letters in a number, 0 for none. */
  Code,
  /** Thousandths. */
  Confidence,
  Count,
}

const PLACE_BYTES = 4 * Cell.Count + 2 * MOST;

/** A question that the thread is at. */
export interface Question {
  readonly place: number;
  readonly ticket: number;
}

/** The places, as either side sees them. */
export class LanguageCells {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;
  readonly #units: Uint16Array;

  /** @param places How many may ask at once; or the memory that the other side made. */
  constructor(places: number | SharedArrayBuffer) {
    this.buffer = typeof places === "number"
      ? new SharedArrayBuffer(4 * Head.Count + places * PLACE_BYTES)
      : places;
    this.#cells = new Int32Array(this.buffer);
    this.#units = new Uint16Array(this.buffer);
  }

  /** Questions answered so far. */
  get answered(): number {
    return Atomics.load(this.#cells, Head.Answered);
  }

  /** The question that is being looked at. */
  get serving(): Question | undefined {
    const cells = this.#cells;
    const place = Atomics.load(cells, Head.Serving) - 1;
    const ticket = Atomics.load(cells, Head.ServingTicket);
    const moved = Atomics.load(cells, Head.Serving) - 1 !== place;
    return place < 0 || moved ? undefined : { place, ticket };
  }

  /**
   * Ask, from a thread that may wait; what is returned waits for the answer, and is to be called before the place
   * asks again. Whoever had the place before must have ended; what it asked last is forgotten. After `patienceMs`
   * it is as if nothing could be told: a page is worth more than its language.
   */
  ask(place: number, sample: string, patienceMs: number): () => DetectedLanguage {
    const cells = this.#cells, at = this.#at(place);
    const length = Math.min(sample.length, MOST);
    const units = this.#units, first = (at + Cell.Count) * 2;
    for (let i = 0; i < length; i++) units[first + i] = sample.charCodeAt(i);
    cells[at + Cell.Length] = length;
    const before = Atomics.load(cells, at + Cell.Ticket);
    const ticket = (before + (isOdd(before) ? 2 : 1)) | 0;
    Atomics.store(cells, at + Cell.Ticket, ticket);
    this.#ring();
    return () => this.#await(at, ticket, patienceMs);
  }

  #await(at: number, ticket: number, patienceMs: number): DetectedLanguage {
    const cells = this.#cells;
    for (let left = WAITS; Atomics.load(cells, at + Cell.Ticket) === ticket;) {
      if (Atomics.load(cells, Head.Closed) !== 0) return NO_LANGUAGE;
      if (Atomics.wait(cells, at + Cell.Ticket, ticket, patienceMs / WAITS) !== "timed-out") {
        continue;
      }
      if (--left === 0 && this.#end(at, ticket)) return NO_LANGUAGE;
    }
    const code = cells[at + Cell.Code]!;
    if (code === 0) return NO_LANGUAGE;
    const language = String.fromCharCode(code >> 16, code >> 8 & 255, code & 255);
    return { language, confidence: cells[at + Cell.Confidence]! / 1000 };
  }

  /** Answer questions until the next {@linkcode LanguageCells.nextTerm}; between them the thread waits. */
  serve(detect: (sample: string) => DetectedLanguage, term: number): void {
    const cells = this.#cells;
    while (Atomics.load(cells, Head.Term) === term) {
      const bell = Atomics.load(cells, Head.Bell);
      let found = false;
      for (let at: number = Head.Count; at < cells.length; at += PLACE_BYTES / 4) {
        const ticket = Atomics.load(cells, at + Cell.Ticket);
        if (!isOdd(ticket)) continue;
        found = true;
        if (!this.#answer(at, ticket, detect, term)) return;
      }
      if (!found) Atomics.wait(cells, Head.Bell, bell);
    }
  }

  /** Let the thread that serves end, and count the one that may serve from now on. */
  nextTerm(): number {
    const term = (Atomics.add(this.#cells, Head.Term, 1) + 1) | 0;
    this.#ring();
    return term;
  }

  /** Nobody will answer any more: whoever waits need not, and the thread that serves ends. */
  close(): void {
    const cells = this.#cells;
    Atomics.store(cells, Head.Closed, 1);
    this.nextTerm();
    for (let at: number = Head.Count; at < cells.length; at += PLACE_BYTES / 4) {
      Atomics.notify(cells, at + Cell.Ticket);
    }
  }

  /** Nobody can tell what was asked: not who did not live to answer it, nor, likely, who comes after. */
  giveUp({ place, ticket }: Question): void {
    const cells = this.#cells, at = this.#at(place);
    Atomics.store(cells, Head.Serving, 0);
    // Who asked may have waited long enough.
    if (Atomics.load(cells, at + Cell.Ticket) !== ticket) return;
    cells[at + Cell.Code] = 0;
    if (this.#end(at, ticket)) Atomics.notify(cells, at + Cell.Ticket);
  }

  /** False when another thread serves by now. */
  #answer(
    at: number,
    ticket: number,
    detect: (sample: string) => DetectedLanguage,
    term: number,
  ): boolean {
    const cells = this.#cells, first = (at + Cell.Count) * 2;
    Atomics.store(cells, Head.ServingTicket, ticket);
    Atomics.store(cells, Head.Serving, (at - Head.Count) / (PLACE_BYTES / 4) + 1);
    const { language, confidence } = detect(this.#text(first, cells[at + Cell.Length]!));
    if (Atomics.load(cells, Head.Term) !== term) return false;
    let code = 0;
    for (let i = 0; i < language.length; i++) code = code << 8 | language.charCodeAt(i);
    cells[at + Cell.Code] = code;
    cells[at + Cell.Confidence] = Math.round(confidence * 1000);
    // Unless someone else has the place meanwhile, and another question.
    this.#end(at, ticket);
    Atomics.store(cells, Head.Serving, 0);
    Atomics.add(cells, Head.Answered, 1);
    Atomics.notify(cells, at + Cell.Ticket);
    return true;
  }

  /** An array's elements become arguments several times as fast as those of a typed array that is spread. */
  #text(first: number, length: number): string {
    const units: number[] = [];
    const end = first + Math.min(length, MOST);
    for (let at = first; at < end; at++) units.push(this.#units[at]!);
    return String.fromCharCode.apply(null, units);
  }

  /** Makes a question one that waits no longer; false if it was no longer the one that waits. */
  #end(at: number, ticket: number): boolean {
    const cells = this.#cells;
    return Atomics.compareExchange(cells, at + Cell.Ticket, ticket, (ticket + 1) | 0) === ticket;
  }

  #at(place: number): number {
    return Head.Count + place * PLACE_BYTES / 4;
  }

  #ring(): void {
    Atomics.add(this.#cells, Head.Bell, 1);
    Atomics.notify(this.#cells, Head.Bell);
  }
}

function isOdd(ticket: number): boolean {
  return (ticket & 1) === 1;
}
