/** The hub's client, under the name that this folder's files know it by. */

export {
  bare,
  cutShort,
  type Fetch,
  type HubAnswer,
  HubClient,
  type HubClientOptions,
} from "../hub/mod.ts";
