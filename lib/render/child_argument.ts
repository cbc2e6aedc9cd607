/**
 * How an executable that holds the whole program in one file is told to be the child that renders.
 *
 * @module
 */

/** First argument by which a compiled executable becomes the child; see `runRenderChild`. */
export const RENDER_CHILD_ARGUMENT = "__render-child";
