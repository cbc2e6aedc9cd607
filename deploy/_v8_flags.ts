/**
 * How the executables hold V8 to less memory than it would take on a large machine: a young generation
 * of 2 to 4 MB a thread rather than up to 32, and an old one that is collected when it has doubled
 * rather than quadrupled. A crawl's threads keep little for long; what it costs is a few hundredths of
 * a millisecond of collection a page.
 */
export const V8_FLAGS =
  "--semi-space-growth-factor=1,--min-semi-space-size=2,--max-semi-space-size=4,--heap-growing-percent=100";
