/**
 * How the executables hold V8 to less memory than it would take on a large machine: a young generation
 * of 2 to 4 MB a thread rather than up to 32, and an old one that is collected when it has doubled
 * rather than quadrupled. A crawl's threads keep little for long; what it costs is a few hundredths of
 * a millisecond of collection a page.
 *
 * Nothing is made old before it has lived: on a guess that one of the renderer's objects would, which is made in
 * one extractor of a few, its garbage went where only the dear collection finds it, 109 of those rather than 40.
 */
export const V8_FLAGS =
  "--semi-space-growth-factor=1,--min-semi-space-size=2,--max-semi-space-size=4,--heap-growing-percent=100,--no-allocation-site-pretenuring";
