/** Requests without bodies, all pipelined, and requests for models and states that do not exist. */
import { filled } from "./stalls-body.js";
import { largestPageFile } from "./stalls-page-files.js";
import type { WorstRequest, WorstRequests } from "./stalls-request.js";

/** Maximum characters of a path parameter, from `src/http/request-checks.ts`. */
const PARAMETER = 1_024;
/** Characters of a query; the request target may have 8 KiB. */
const QUERY = 8_000;

const PAGES = [
  "/",
  "/health",
  "/health/live",
  "/health/ready",
  "/metrics",
  "/openapi.json",
  "/openapi.yaml",
  "/docs",
  "/docs/swagger-ui.css",
  `/page/${"p".repeat(PARAMETER - 3)}.js`,
  "/v1/key",
  "/v1/models",
  `/v1/models/${"m".repeat(PARAMETER)}`,
  "/props",
  "/slots",
  "/lora-adapters",
  `/props?model=${"m".repeat(QUERY)}`,
  "/api/tags",
  "/api/ps",
  "/api/version",
];

export const pageRequests: WorstRequests = {
  ...Object.fromEntries(
    PAGES.map((path): [string, WorstRequest] => [
      path.length > PARAMETER ? `${path.slice(0, 20)}…` : path,
      { method: "GET", path, sent: "pipelined" },
    ]),
  ),
  "/, in a browser": {
    ...{ method: "GET", path: "/", sent: "pipelined" },
    headers: { accept: `${"text/plain,".repeat(500)}text/html` },
  },
  "/page, its largest file": { method: "GET", path: largestPageFile(), sent: "pipelined" },
  "/openapi.json, not modified": {
    ...{ method: "GET", path: "/openapi.json", sent: "pipelined" },
    headers: { "if-none-match": `"${'a", "'.repeat(2_000)}"` },
  },
  "/v1/models/sse, which would not end, of another version": {
    ...{ method: "GET", path: "/v1/models/sse", sent: "pipelined" },
    headers: { "api-version": "v9" },
  },
  "/v1/models is removed": {
    ...{ method: "DELETE", path: `/v1/models?model=${"m".repeat(QUERY)}`, sent: "pipelined" },
  },
  "/slots/0": {
    ...{ method: "POST", path: "/slots/0?action=restore" },
    body: ({ bytes }) => filled(bytes, "n", (text) => `{"filename":"${text}"}`),
  },
  "/api/delete": {
    ...{ method: "DELETE", path: "/api/delete" },
    body: ({ bytes }) => filled(bytes / 64, "m", (text) => `{"model":"${text}"}`),
  },
};
