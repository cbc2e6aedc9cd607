/** Types that are rendered. */
const TYPES: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"]);

/** What HTML begins with, after white space (MIME Sniffing standard, 7.1); then a space or ">". */
const BEGINNINGS = (
  "<!doctype html|<html|<head|<script|<iframe|<h1|<div|<font|<table|<a|<style|<title|<b|<body|<br|<p"
).split("|");

/**
 * Whether an answer is HTML: by its Content-Type when one was sent, else by its first bytes.
 *
 * @example Usage
 * ```ts
 * import { isHtml } from "@ccrawl/cli/render";
 * import assert from "node:assert/strict";
 *
 * assert.ok(isHtml("Text/HTML; charset=utf-8", new Uint8Array()));
 * assert.ok(!isHtml("text/plain", new TextEncoder().encode("<html>")));
 * assert.ok(isHtml(undefined, new TextEncoder().encode("\n<!DOCTYPE html>")));
 * ```
 */
export function isHtml(contentType: string | undefined, body: Uint8Array): boolean {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase();
  if (type) return TYPES.has(type);
  // Latin-1 leaves every byte a character; UTF-16 is recognised by its order mark alone.
  let head = "";
  const wide = body[0] === 0xff && body[1] === 0xfe
    ? 0
    : body[0] === 0xfe && body[1] === 0xff
    ? 1
    : -1;
  const start = wide >= 0 ? 2 : body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
  for (let i = start; i < body.length && i < 1024; i++) {
    if (wide >= 0 && (i & 1) !== wide) continue;
    head += String.fromCharCode(body[i]!);
  }
  head = skipProlog(head).toLowerCase();
  if (head.startsWith("<!--")) return true;
  return BEGINNINGS.some((beginning) =>
    head.startsWith(beginning) && /^[\s>]/.test(head.slice(beginning.length, beginning.length + 1))
  );
}

/** Past white space, and past the XML declaration that some write before their XHTML. */
function skipProlog(head: string): string {
  head = head.trimStart();
  if (!head.startsWith("<?xml")) return head;
  const end = head.indexOf("?>");
  const rest = end < 0 ? "" : head.slice(end + 2).trimStart();
  return /^<(?:!doctype\s+html|html)[\s>]/i.test(rest) ? rest : "";
}
