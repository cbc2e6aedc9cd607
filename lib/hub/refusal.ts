/**
 * What a server says when it refuses: why, and how long it wants to be left alone.
 *
 * @module
 */

/** As much of a refusal's body as is read. */
const MAX_REASON_BYTES = 16 << 10;
/** As much of it as is shown. */
const MAX_REASON = 300;
/** A server that asks for no wait at all would be asked all the time. */
const SHORTEST_WAIT = 1000, LONGEST_WAIT = 3_600_000;

/**
 * The reason in the header that the hub gives it in, or in the body: `error` or `message` of a JSON
 * object, `Message` of an object store's XML. Empty where there is none, as where a page of HTML stands
 * there. Reads the body to its end or leaves it. Should the server repeat the token, it is left out.
 */
export async function readReason(response: Response, token?: string): Promise<string> {
  const header = response.headers.get("x-error-message") ?? "";
  const type = (response.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
  if (header !== "" || !(type.endsWith("json") || type.endsWith("xml"))) {
    await response.body?.cancel();
    return shownWords(header, token);
  }
  let text: string, json: unknown;
  try {
    text = await firstText(response);
    if (type.endsWith("xml")) return shownWords(between(text, "<Message>", "</Message>"), token);
    json = JSON.parse(text);
  } catch {
    return ""; // it is cut or no JSON; the status says enough
  }
  const { error, message } = (json ?? {}) as { error?: unknown; message?: unknown };
  const words = [error, message].find((value) => typeof value === "string") as string ?? "";
  return shownWords(words, token);
}

function between(text: string, open: string, close: string): string {
  const start = text.indexOf(open), end = text.indexOf(close, start);
  return start < 0 || end < 0 ? "" : text.slice(start + open.length, end);
}

async function firstText(response: Response): Promise<string> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    text += decoder.decode(chunk, { stream: true });
    if (size > MAX_REASON_BYTES) break;
  }
  return text;
}

/** A server's words in one line, without what acts on a terminal, and without the token. */
export function shownWords(text: string, token: string | undefined): string {
  // Before anything is cut, or half of a token would be left.
  const whole = token === undefined ? text : text.replaceAll(token, "…");
  const line = whole.slice(0, 4 * MAX_REASON).replace(
    /[^\x20-\x7e\u00a1-\u2027\u2030-\uffff]+/g,
    " ",
  )
    .trim();
  return line.length > MAX_REASON ? `${line.slice(0, MAX_REASON)}…` : line;
}

/**
 * Ms from a Retry-After of seconds or of a date (RFC 9110 section 10.2.3), or, where there is none,
 * from the `t` of a RateLimit field that says that nothing is left; a second at least, an hour at most.
 */
export function waitAsked(headers: Headers): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) {
    const limit = headers.get("ratelimit") ?? "";
    const reset = /;\s*r=0\s*;\s*t=(\d{1,9})\b/.exec(limit)?.[1];
    return reset === undefined ? undefined : within(Number(reset) * 1000);
  }
  const text = value.trim();
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? within(ms) : undefined;
}

function within(ms: number): number {
  return Math.min(Math.max(ms, SHORTEST_WAIT), LONGEST_WAIT);
}
