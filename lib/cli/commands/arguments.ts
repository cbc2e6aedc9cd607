/**
 * Arguments that several commands take.
 *
 * @module
 */

import { UsageError } from "../errors.ts";

/**
 * A URL as a person types it: `https://` is added where no scheme is given.
 *
 * @throws {UsageError} when it is no http or https URL.
 */
export function parseUrlArgument(text: string): URL {
  const trimmed = text.trim();
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  let url: URL;
  try {
    url = new URL(whole);
  } catch (cause) {
    throw new UsageError(
      `not a URL: ${JSON.stringify(text)}`,
      "write https://example.com/ or example.com",
      { cause },
    );
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new UsageError(`only http and https can be fetched: ${JSON.stringify(text)}`);
  }
  return url;
}

/**
 * A host name as a person types it, in the form that URLs have it: lower case, punycode, no trailing
 * dot.
 *
 * @throws {UsageError}
 */
export function parseHostArgument(text: string): string {
  let host = "";
  if (text !== "" && !/[\s/?#@\\]/.test(text)) {
    const bare = text.includes(":") && !text.startsWith("[") && text.split(":").length > 2
      ? `[${text}]`
      : text;
    const url = URL.canParse(`http://${bare}/`) ? new URL(`http://${bare}/`) : undefined;
    // A port is no part of a host: its clock is one for all of them.
    if (url !== undefined && url.port === "") host = url.hostname.replace(/\.$/, "");
  }
  if (host === "") {
    throw new UsageError(`not a host name: ${JSON.stringify(text)}`, "write www.example.com");
  }
  return host;
}
