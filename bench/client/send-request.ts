import { request } from "node:http";
import { text } from "node:stream/consumers";
import { formatReason } from "../../src/core/format-reason.js";

/** Time after which a request counts as unanswered. */
export const ANSWER_TIMEOUT_MS = 120_000;
/** Maximum number of response bytes that are inspected; error responses are shorter. */
const MAX_READ = 65_536;

/** Server's response to a request. */
export type Answer =
  | {
      readonly kind: "status";
      readonly status: number;
      /** Error code; absent in other answers. */
      readonly code: string | undefined;
      /** Id of the created object; absent in other answers. */
      readonly id?: string | undefined;
    }
  /** The connection was reset, or no response arrived in time. */
  | { readonly kind: "none"; readonly reason: string };

/** Request to be sent. */
export interface SentRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON body; `undefined`: none. */
  readonly body: Uint8Array | undefined;
}

/** Sends a request over a new connection and reads the whole answer. Never rejects. */
export function sendRequest(url: URL, { method, headers, body }: SentRequest): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (error: unknown) => resolve({ kind: "none", reason: formatReason(error) });
    const outgoing = request(url, {
      method,
      headers: { ...headersOf(body), ...headers },
      agent: false,
    });
    outgoing.on("error", fail).on("response", (response) => {
      const { statusCode: status = 0 } = response;
      text(response).then(
        (content) => resolve({ kind: "status", status, ...findingsIn(content) }),
        fail,
      );
    });
    outgoing.setTimeout(ANSWER_TIMEOUT_MS, () =>
      outgoing.destroy(new Error(`no answer for ${ANSWER_TIMEOUT_MS / 1000} s`)),
    );
    outgoing.end(body);
  });
}

/** Content headers for a body. */
export function headersOf(body: Uint8Array | undefined): Record<string, string> {
  if (body === undefined) return {};
  return { "content-type": "application/json", "content-length": String(body.length) };
}

/**
 * Reads the code of OpenAI's error envelope, `{"error":{"code":…}}`, and the id of a created
 * object, `{"id":…}`.
 */
function findingsIn(content: string): { code: string | undefined; id: string | undefined } {
  const id = /^\{"id":"([^"]+)"/.exec(content.slice(0, MAX_READ))?.[1];
  return { code: content.length > MAX_READ ? undefined : codeIn(content), id };
}

function codeIn(content: string): string | undefined {
  try {
    const { error } = JSON.parse(content) as { readonly error?: { readonly code?: unknown } };
    return typeof error?.code === "string" ? error.code : undefined;
  } catch {
    return undefined;
  }
}
