import assert from "node:assert/strict";
import { isHtml } from "../../lib/render/html.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("isHtml() goes by the type that was sent", () => {
  assert.ok(isHtml("text/html", bytes("{}")));
  assert.ok(isHtml(" TEXT/HTML ; charset=x", bytes("")));
  assert.ok(isHtml("application/xhtml+xml", bytes("")));
  assert.ok(!isHtml("text/plain", bytes("<html>")));
  assert.ok(!isHtml("application/rss+xml", bytes("<html>")));
});

Deno.test("isHtml() goes by the first bytes when no type was sent", () => {
  for (const type of [undefined, "", " ; charset=utf-8"]) {
    assert.ok(isHtml(type, bytes("\n \t<!DocType HTML>")));
    assert.ok(isHtml(type, bytes("\ufeff<HTML lang=en>")));
    assert.ok(isHtml(type, bytes("<!-- made by hand --><p>")));
    assert.ok(
      isHtml(type, bytes('<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0">')),
    );
    assert.ok(!isHtml(type, bytes('<?xml version="1.0"?><rss>')));
    assert.ok(!isHtml(type, bytes("<blob>")));
    assert.ok(!isHtml(type, bytes("%PDF-1.4")));
    assert.ok(!isHtml(type, bytes("")));
  }
  assert.ok(isHtml(undefined, new Uint8Array([0xff, 0xfe, 0x3c, 0, 0x70, 0, 0x3e, 0])));
  assert.ok(isHtml(undefined, new Uint8Array([0xfe, 0xff, 0, 0x3c, 0, 0x70, 0, 0x3e])));
});
