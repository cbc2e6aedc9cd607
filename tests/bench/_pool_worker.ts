/** A worker of the pool as it is meant to be: the parts of the network room, rows in the pool's own form. */

import { decodeText, loadDetector } from "../../lib/net/charset.ts";
import { decodeBody } from "../../lib/net/decode.ts";
import { serveRenderPool } from "../../lib/render/pool_worker.ts";

await serveRenderPool({ decodeBody, decodeText, loadDetector });
