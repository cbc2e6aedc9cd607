/**
 * Where releases of the web graph are to be had; for the command line too, which loads nothing else to show it.
 *
 * @module
 */

/** Where the releases are served. */
export const DATA_ENDPOINT = "https://data.commoncrawl.org";
/** The page that links to each release. */
export const RELEASES_PAGE = "https://commoncrawl.org/web-graphs";
