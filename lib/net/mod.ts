/**
 * The network: names, addresses, connections, the HTTP/1.1 exchange, content coding and charsets, and why
 * any of it failed.
 *
 * @module
 */
export * from "./address.ts";
export * from "./errors.ts";
export * from "./error_shapes.ts";
export * from "./types.ts";
