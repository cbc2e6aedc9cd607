/**
 * The network: names, addresses, connections, the HTTP/1.1 exchange, content coding and charsets, and why
 * any of it failed.
 *
 * @module
 */
export * from "./address.ts";
export * from "./address_limit.ts";
export * from "./client.ts";
export * from "./connect.ts";
export * from "./charset.ts";
export * from "./decode.ts";
export * from "./dns.ts";
export * from "./errors.ts";
export * from "./hosts_file.ts";
export * from "./resolv_conf.ts";
export * from "./error_shapes.ts";
export * from "./types.ts";
