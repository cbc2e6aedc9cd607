// A thread that opens and then dies of an error nobody caught, at the first request to put.
import type { Request } from "../../lib/frontier/_messages.ts";

const scope = self as unknown as {
  onmessage: ((event: MessageEvent<Request[]>) => void) | null;
  postMessage(message: unknown): void;
};
scope.onmessage = ({ data }) => {
  for (const request of data) {
    if (request.verb === "put") throw new RangeError("out of memory, say");
    if ("id" in request && request.verb !== "stats") {
      scope.postMessage([{
        id: request.id,
        value: request.verb === "now" ? 0 : undefined,
      }]);
    }
  }
};
