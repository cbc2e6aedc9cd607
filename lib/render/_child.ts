/**
 * The child process that renders with the libraries. It reads pages from standard input, answers on
 * standard output, needs no permissions, and may be killed at any moment.
 *
 * @module
 */

import { decodeFrames, encodeFrame } from "./_frames.ts";
import type { Content } from "./render.ts";

/** One page to render. */
export interface ChildRequest {
  readonly html: string;
  readonly url: string;
  readonly extractor: "readability" | "raw";
  readonly deadlineMs: number;
}

/** What became of it. */
export type ChildAnswer = { readonly content: Content } | { readonly failed: string };

const PERMISSIONS = ["read", "write", "net", "env", "sys", "run", "ffi"] as const;

/** How much longer than its deadline a page may take when nobody is left to end it. */
const ALONE_MS = 2_000;

/**
 * Serve until standard input ends. An executable that holds the whole program in one file runs this when
 * its first argument is `RENDER_CHILD_ARGUMENT`.
 */
export async function runRenderChild(): Promise<void> {
  const [{ renderWithLibraries }, { guarded }] = await Promise.all([
    import("./_libraries.ts"),
    import("./_guard.ts"),
  ]);
  // A compiled executable has them, whatever it is started as.
  for (const name of PERMISSIONS) Deno.permissions.revokeSync({ name });
  const output = Deno.stdout.writable.getWriter();
  for await (const message of decodeFrames(Deno.stdin.readable)) {
    const { html, url, extractor, deadlineMs } = message as ChildRequest;
    let answer: ChildAnswer;
    try {
      // Whoever asked kills this process at the deadline; should it be gone itself, nobody else would.
      const limit = deadlineMs + ALONE_MS;
      const content = await guarded(
        () => renderWithLibraries(html, url, extractor, deadlineMs),
        limit,
      );
      answer = { content };
    } catch (error) {
      answer = { failed: error instanceof Error ? error.message : String(error) };
    }
    await output.write(encodeFrame(answer));
  }
}
