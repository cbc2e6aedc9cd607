/**
 * The text of an element as it stands.
 *
 * @module
 */

import type { Element } from "./_element.ts";

/** Text with its line breaks kept: those of the source, of `br`, and between blocks. */
export function rawText(element: Element): string {
  const parts: string[] = [];
  gather(element, parts);
  return parts.join("");
}

function gather(element: Element, parts: string[]): void {
  for (const child of element.children) {
    if (typeof child === "string") parts.push(child);
    else if (child.dropped) continue;
    else if (child.name === "br") parts.push("\n");
    else if (child.block) {
      endLine(parts);
      gather(child, parts);
      endLine(parts);
    } else gather(child, parts);
  }
}

function endLine(parts: string[]): void {
  const last = parts[parts.length - 1];
  if (last !== undefined && !last.endsWith("\n")) parts.push("\n");
}
