/** A worker of the pool that takes its time to listen, as one does whose modules are not there yet. */

await new Promise((resolve) => setTimeout(resolve, 1000));
await import("./_pool_worker.ts");
