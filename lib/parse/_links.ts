/**
 * Links as absolute URLs.
 *
 * @module
 */

/** Distinct absolute http and https URLs, in the order of the references. */
export function absoluteLinks(
  references: Iterable<string>,
  url: string,
  base: string | undefined,
): string[] {
  const page = URL.parse(url);
  const against = (base === undefined ? null : URL.parse(base, page?.href)) ?? page;
  const out = new Set<string>();
  for (const reference of references) {
    const link = URL.parse(reference, against?.href);
    if (link?.protocol === "http:" || link?.protocol === "https:") out.add(link.href);
  }
  return [...out];
}
