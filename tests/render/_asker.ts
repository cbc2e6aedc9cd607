/** Asks for languages, one after the other, from a thread that may wait. */

import { LanguageCells } from "../../lib/render/_language_cells.ts";

const scope = self as unknown as {
  onmessage: (event: MessageEvent<[SharedArrayBuffer, number, string[], number]>) => void;
  postMessage(message: unknown): void;
};
scope.onmessage = ({ data: [buffer, place, samples, patienceMs] }) => {
  const cells = new LanguageCells(buffer);
  scope.postMessage(samples.map((sample) => cells.ask(place, sample, patienceMs)()));
};
