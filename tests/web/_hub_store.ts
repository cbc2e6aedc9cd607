/** The object store behind the local hub: signed addresses, requests of known length, pieces. */

import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CutRequestError, type HubRequest, type Reply } from "./_hub_http.ts";
import { errorText, type HubFault, json, text } from "./hub.ts";

interface Upload {
  readonly oid: string;
  readonly size: number;
  readonly chunk: number;
  readonly pieces: Map<number, { etag: string; path: string }>;
}

/** Objects by their SHA-256, on disk. */
export class HubStore implements Disposable {
  readonly #uploads = new Map<string, Upload>();
  readonly #objects = new Map<string, string>();
  #folder: string | undefined;
  /** Bytes taken. */
  taken = 0;

  /** Path of an object; undefined where it is not there. */
  get(oid: string): string | undefined {
    return this.#objects.get(oid);
  }

  /** Size of one. */
  size(oid: string): number {
    return statSync(this.#objects.get(oid)!).size;
  }

  /** Forgets an object, as a store does that no commit names. */
  forget(oid: string): void {
    this.#objects.delete(oid);
  }

  /** What is to be done to put an object there. */
  actions(
    { oid, size }: { oid: string; size: number },
    { base, hub, repo, signature, chunk }: {
      readonly base: string;
      readonly hub: string;
      readonly repo: string;
      readonly signature: number;
      /** From this size on in pieces of this size. */
      readonly chunk: number;
    },
  ): Record<string, unknown> {
    const verify = { href: `${hub}/datasets/${repo}.git/info/lfs/objects/verify`, header: {} };
    if (size <= chunk) {
      return { upload: { href: `${base}/upload/${oid}?signature=${signature}` }, verify };
    }
    const id = randomUUID();
    this.#uploads.set(id, { oid, size, chunk, pieces: new Map() });
    const header: Record<string, string> = { chunk_size: String(chunk) };
    for (let n = 1; n <= Math.ceil(size / chunk); n++) {
      header[String(n).padStart(5, "0")] = `${base}/piece/${id}/${n}?signature=${signature}`;
    }
    const href = `${hub}/api/complete_multipart?uploadId=${id}&signature=${signature}`;
    return { upload: { href, header }, verify };
  }

  /** Takes a PUT, whole or a piece. */
  async put(request: HubRequest, path: string, fault: HubFault | undefined): Promise<Reply> {
    if (request.headers.has("transfer-encoding")) {
      return errorText(501, "A header you provided implies functionality that is not implemented");
    }
    if (!request.headers.has("content-length")) return errorText(411, "MissingContentLength");
    const [kind, id = "", number = ""] = path.split("/");
    const into = join(this.#dir(), randomUUID());
    const { sha256, md5, size } = await this.#take(request, into, fault);
    if (kind === "upload") {
      if (sha256 !== id) return errorText(400, "BadDigest");
      this.#keep(id, into);
      return { status: 200, headers: { etag: `"${md5}"` }, body: text("") };
    }
    const upload = this.#uploads.get(id), n = Number(number);
    if (upload === undefined) return errorText(404, "NoSuchUpload");
    const wanted = Math.min(upload.chunk, upload.size - (n - 1) * upload.chunk);
    if (size !== wanted) return errorText(400, "EntityTooSmall");
    upload.pieces.set(n, { etag: `"${md5}"`, path: into });
    return { status: 200, headers: { etag: `"${md5}"` }, body: text("") };
  }

  /** Puts pieces together. */
  async complete(id: string, body: unknown): Promise<Reply> {
    const upload = this.#uploads.get(id);
    if (upload === undefined) return json(404, { error: "The upload was not found" });
    const { oid, parts } = body as { oid: string; parts: { partNumber: number; etag: string }[] };
    if (oid !== upload.oid || parts.length !== Math.ceil(upload.size / upload.chunk)) {
      return json(400, { error: "Invalid parts" });
    }
    const path = join(this.#dir(), randomUUID());
    const out = await open(path, "w");
    const hash = createHash("sha256");
    for (const [i, { partNumber, etag }] of parts.entries()) {
      const piece = upload.pieces.get(partNumber);
      if (partNumber !== i + 1 || piece?.etag !== etag) {
        await out.close();
        return json(400, { error: "InvalidPart" });
      }
      using file = Deno.openSync(piece.path);
      for await (const chunk of file.readable) {
        hash.update(chunk);
        await out.write(chunk);
      }
      rmSync(piece.path);
    }
    await out.close();
    if (hash.digest("hex") !== oid) return json(400, { error: "BadDigest" });
    this.#uploads.delete(id);
    this.#keep(oid, path);
    return json(200, { success: true });
  }

  /** Removes everything. */
  [Symbol.dispose](): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true });
  }

  async #take(
    request: HubRequest,
    path: string,
    fault: HubFault | undefined,
  ): Promise<{ sha256: string; md5: string; size: number }> {
    const out = await open(path, "w");
    try {
      const sha256 = createHash("sha256"), md5 = createHash("md5");
      let size = 0;
      for await (const piece of request.body()) {
        size += piece.length;
        this.taken += piece.length;
        sha256.update(piece);
        md5.update(piece);
        await out.write(piece);
        if (fault?.kind === "cut-request" && size >= fault.bytes) throw new CutRequestError();
        if (fault?.kind === "slow") await new Promise((done) => setTimeout(done, fault.ms));
      }
      return { sha256: sha256.digest("hex"), md5: md5.digest("hex"), size };
    } finally {
      await out.close();
    }
  }

  #keep(oid: string, path: string): void {
    const name = join(this.#dir(), oid);
    renameSync(path, name);
    this.#objects.set(oid, name);
  }

  #dir(): string {
    return this.#folder ??= mkdtempSync(join(tmpdir(), "ccrawl-hub-store-"));
  }
}
