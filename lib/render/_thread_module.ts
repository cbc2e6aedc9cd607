/**
 * The module of a thread, as `node:worker_threads` takes it.
 *
 * @module
 */

/**
 * Node's threads start from files alone. A module that came over the network, as those of a published
 * package do, is imported by one that stands in the address itself.
 */
export function threadModule(module: URL): URL {
  if (module.protocol === "file:") return module;
  return new URL(
    `data:text/javascript,${encodeURIComponent(`import ${JSON.stringify(module.href)};`)}`,
  );
}
