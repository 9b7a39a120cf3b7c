import { constraintBodies } from "./stalls-constraint-bodies.js";
import { dialectRequests } from "./stalls-dialect-requests.js";
import { formRequests } from "./stalls-form-requests.js";
import { mediaRequests } from "./stalls-media-requests.js";
import { pageRequests } from "./stalls-page-requests.js";
import { CHAT_PATH, posted, type WorstRequest } from "./stalls-request.js";
import { storedRequests } from "./stalls-stored-requests.js";
import { structureBodies } from "./stalls-structure-bodies.js";
import { textBodies } from "./stalls-text-bodies.js";
import { textRequests } from "./stalls-text-requests.js";

/**
 * Requests that cost a server far more than their client, at least one for each route, in sending
 * order.
 */
export const worstRequests: ReadonlyMap<string, WorstRequest> = new Map([
  ...Object.entries(pageRequests),
  ...Object.entries(dialectRequests),
  ...Object.entries(textRequests),
  ...Object.entries(storedRequests),
  ...Object.entries(formRequests),
  ...Object.entries(mediaRequests),
  ...Object.entries(posted(CHAT_PATH, { ...structureBodies, ...constraintBodies, ...textBodies })),
]);
