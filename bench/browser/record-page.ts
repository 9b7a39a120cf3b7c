import { setTimeout as delay } from "node:timers/promises";
import type { Browser, Request } from "playwright-core";
import type { TimedRequest } from "../client/replay-requests.js";
import { openPage, withColdPage } from "./with-browser.js";

/** Request made by an open page. */
export interface PageRequest extends TimedRequest {
  /** `file`: part of the page itself; `call`: API call; `stream`: call with a streamed answer. */
  readonly kind: "file" | "call" | "stream";
}

const CALL_TYPES = ["fetch", "xhr", "eventsource"];
/** Headers of the connection, which differs when the request is replayed. */
const CONNECTION_HEADERS = ["host", "connection"];

/**
 * Opens the page with an empty cache, leaves it open, and records its requests.
 * @param url including the view in its fragment
 * @param forMs time from navigation to the end of the recording
 */
export function recordPage(
  browser: Browser,
  url: URL,
  forMs: number,
  signal: AbortSignal,
): Promise<readonly PageRequest[]> {
  return withColdPage(browser, async (page) => {
    const requests: { readonly request: Request; readonly atMs: number }[] = [];
    const streams = new Set<Request>();
    const openedAtMs = performance.now();
    page.on("request", (request) => {
      const isOfServer = new URL(request.url()).origin === url.origin;
      if (isOfServer) requests.push({ request, atMs: performance.now() - openedAtMs });
    });
    page.on("response", (response) => {
      const isStream = response.headers()["content-type"]?.startsWith("text/event-stream");
      if (isStream) streams.add(response.request());
    });
    await openPage(page, url);
    await delay(Math.max(0, openedAtMs + forMs - performance.now()), undefined, { signal });
    const recorded = requests.filter(({ atMs }) => atMs < forMs);
    return Promise.all(
      recorded.map(async ({ request, atMs }): Promise<PageRequest> => {
        const isCall = CALL_TYPES.includes(request.resourceType());
        return {
          ...(await messageOf(request)),
          atMs,
          kind: streams.has(request) ? "stream" : isCall ? "call" : "file",
        };
      }),
    );
  });
}

async function messageOf(request: Request): Promise<Omit<TimedRequest, "atMs">> {
  const { pathname, search } = new URL(request.url());
  const headers = Object.entries(await request.allHeaders()).filter(
    ([name]) => !CONNECTION_HEADERS.includes(name),
  );
  const body = request.postData();
  return {
    method: request.method(),
    path: `${pathname}${search}`,
    headers: Object.fromEntries(headers),
    ...(body !== null && { body }),
  };
}
