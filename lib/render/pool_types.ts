import type { RenderedPage } from "./render.ts";

/** What finds a page's content; `none` renders nothing and only decodes and digests. */
export type PoolExtractor = "main" | "readability" | "raw" | "none";

/** A page as {@linkcode RenderPool.push} takes it. */
export interface PoolPage {
  /** Tells the page from others, also over restarts; what poison pages are remembered by. */
  readonly key: string;
  /** Absolute URL, against which its links resolve. */
  readonly url: string;
  /** Value of Content-Type; empty where none was sent. */
  readonly contentType: string;
  /** Value of Content-Encoding; empty for none. */
  readonly contentEncoding: string;
  /**
   * The body as served, transfer coding removed. It stays the caller's, who must not change it, unless
   * {@linkcode PoolPage.owned} gives it away.
   */
  readonly body: Uint8Array;
  /** Bytes that are handed through to the row's assembly as they are. */
  readonly rest: Uint8Array;
  /** Whether it may be rendered at all. @default true */
  readonly render?: boolean;
  /**
   * Whether the body, with all of its buffer, is the pool's from now on: its memory is given back once the row has
   * gone, rather than when it is found to be garbage. @default false
   */
  readonly owned?: boolean;
}

/** A page inside the worker: its bytes are views of a buffer that is used again after the row. */
export interface WorkerPage {
  /** Tells the page from others. */
  readonly key: string;
  /** Absolute URL. */
  readonly url: string;
  /** Value of Content-Type, or empty. */
  readonly contentType: string;
  /** Value of Content-Encoding, or empty. */
  readonly contentEncoding: string;
  /** The body as served. */
  readonly body: Uint8Array;
  /** What came along with the page. */
  readonly rest: Uint8Array;
  /** Whether it may be rendered. */
  readonly render: boolean;
}

/** What became of a page. */
export interface PageOutcome {
  /** Base32 SHA-1 of the decoded body; of the body as served where decoding fails. */
  readonly digest: string;
  /** The decoded body, as far as that went; as served where it could not be decoded at all. Good until the row is made. */
  readonly decoded: Uint8Array;
  /** Whether the content coding was undone to its end (true where there is none). */
  readonly whole: boolean;
  /** Whether decoding stopped at its bound. */
  readonly bounded: boolean;
  /** What was wrong with the content coding, in a few words; empty for nothing. */
  readonly decodeError: string;
  /** Whether it is HTML. */
  readonly html: boolean;
  /** Encoding of the text that was rendered; empty where none was. */
  readonly charset: string;
  /** Whether markup beyond a bound was not looked at. */
  readonly cut: boolean;
  /** What it renders to; absent where it was not to be rendered, or could not be. */
  readonly page?: RenderedPage;
  /** Why it could not be rendered; empty when it could, or was not to be. */
  readonly failed: string;
}

/** Gives bytes to write a row into, of exactly that length; their content is arbitrary. */
export type AllocateRow = (length: number) => Uint8Array<ArrayBuffer>;

/**
 * Makes the row of a page: bytes that begin a buffer of their own, which leaves with them. Runs under the
 * page's deadline; must not throw on any page.
 */
export type AssembleRow = (
  page: WorkerPage,
  outcome: PageOutcome,
  allocate: AllocateRow,
) => Uint8Array<ArrayBuffer>;

/** What a worker's module brings along: see {@linkcode serveRenderPool}. */
export interface PoolParts {
  /** Undoes content codings within a bound. */
  readonly decodeBody: (
    body: Uint8Array,
    contentEncoding: string,
    maxBytes: number,
  ) => {
    readonly bytes: Uint8Array;
    readonly decoded: boolean;
    readonly truncated: boolean;
    readonly error?: string;
  };
  /** Decodes text. A `source` of `"fallback"` means that {@linkcode PoolParts.loadDetector} may help. */
  readonly decodeText: (
    bytes: Uint8Array,
    contentType: string,
  ) => { readonly text: string; readonly charset: string; readonly source: string };
  /** Loads what tells undeclared encodings; called at most once, when first needed. */
  readonly loadDetector: () => Promise<void>;
  /**
   * Makes what assembles rows, given the pool's option `setup`.
   *
   * @default rows as {@linkcode decodePageRow} reads them
   */
  readonly assembler?: (setup: unknown) => AssembleRow | Promise<AssembleRow>;
}
