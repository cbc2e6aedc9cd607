/** A headless Chromium, spoken to by its DevTools protocol. */

import { need } from "./_tools.ts";

const PATIENCE_MS = 60_000;

/** A page in a browser of the test's own. */
export interface Browser extends AsyncDisposable {
  /** Asks the browser for something. */
  send<T = unknown>(method: string, params?: Record<string, unknown>): Promise<T>;
  /** The value of an expression in the page. */
  evaluate<T>(expression: string): Promise<T>;
  /** Waits until an expression in the page is true. */
  until(expression: string): Promise<void>;
  /** URLs that the page asked for. */
  readonly requests: readonly string[];
  /** What it complained about: exceptions, what its policy refused. */
  readonly complaints: readonly string[];
}

/** @throws {Error} Where there is no Chromium. */
export async function openBrowser(): Promise<Browser> {
  const { chromium } = need("chromium");
  const profile = await Deno.makeTempDir();
  const process = new Deno.Command(chromium, {
    args: [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--remote-debugging-port=0",
      `--user-data-dir=${profile}`,
      "about:blank",
    ],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const { address, drained } = await devtools(process.stderr);
  const tabs = await (await fetch(`http://${address}/json/list`)).json() as {
    type: string;
    webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(tabs.find(({ type }) => type === "page")!.webSocketDebuggerUrl);
  await new Promise((open) => socket.onopen = open);
  const waiting = new Map<number, (answer: Answer) => void>();
  const requests: string[] = [];
  const complaints: string[] = [];
  let id = 0;
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data) as Answer & { id?: number; method?: string; params?: unknown };
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    else if (message.method === "Network.requestWillBeSent") {
      requests.push((message.params as { request: { url: string } }).request.url);
    } else if (/^(?:Runtime\.exceptionThrown|Log\.entryAdded)$/.test(message.method ?? "")) {
      complaints.push(JSON.stringify(message.params));
    }
  };
  const send = async <T>(method: string, params: Record<string, unknown> = {}): Promise<T> => {
    const { result, error } = await new Promise<Answer>((answer) => {
      waiting.set(++id, answer);
      socket.send(JSON.stringify({ id, method, params }));
    });
    if (error !== undefined) throw new Error(`Cannot ${method}: ${error.message}`);
    return result as T;
  };
  const evaluate = async <T>(expression: string): Promise<T> => {
    const { result, exceptionDetails } = await send<{
      result: { value: T };
      exceptionDetails?: unknown;
    }>("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  };
  for (const domain of ["Runtime", "Log", "Page", "Network"]) await send(`${domain}.enable`);
  return {
    send,
    evaluate,
    async until(expression) {
      for (const end = Date.now() + PATIENCE_MS; !await evaluate<boolean>(expression);) {
        if (Date.now() > end) throw new Error(`The page never came to ${expression}`);
        await evaluate("new Promise((done) => setTimeout(done, 50))");
      }
    },
    requests,
    complaints,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => socket.onclose = done);
      socket.close();
      await closed;
      process.kill("SIGKILL");
      await process.status;
      await drained;
      await removeProfile(profile);
    },
  };
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Waits for the address of the protocol, and reads on behind it so that the browser never blocks. */
async function devtools(
  stderr: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<{ address: string; drained: Promise<void> }> {
  const reader = stderr.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  for (;;) {
    const found = /DevTools listening on ws:\/\/([^/\s]+)/.exec(said);
    if (found !== null) {
      const drained = (async () => {
        while (!(await reader.read()).done);
      })();
      return { address: found[1]!, drained };
    }
    const { value, done } = await reader.read();
    if (done) throw new Error(`Chromium ended: ${said.slice(-500)}`);
    said += value;
  }
}

/** Its helpers end a moment after it, and write until then. */
async function removeProfile(dir: string): Promise<void> {
  for (let tries = 0;; tries++) {
    try {
      await Deno.remove(dir, { recursive: true });
      return;
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}
