import { request } from "node:http";
import { text } from "node:stream/consumers";
import { reasonOf } from "../../src/core/reason-of.js";

/** A request without an answer for this long counts as unanswered. */
export const ANSWER_TIMEOUT_MS = 120_000;
/** Errors are short: of longer answers only the beginning is looked at. */
const MAX_READ = 65_536;

/** What a server did with a request. */
export type Answer =
  | {
      readonly kind: "status";
      readonly status: number;
      /** The error's code; absent in other answers. */
      readonly code: string | undefined;
      /** Of what was made; absent in other answers. */
      readonly id?: string | undefined;
    }
  /** The connection was reset, or nothing came in time. */
  | { readonly kind: "none"; readonly reason: string };

/** A request as it is sent. */
export interface SentRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; `undefined`: none. */
  readonly body: Uint8Array | undefined;
}

/** Sends a request over a connection of its own and reads the whole answer. Never rejects. */
export function sendRequest(url: URL, { method, headers, body }: SentRequest): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (error: unknown) => resolve({ kind: "none", reason: reasonOf(error) });
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

/** The headers that describe a body. */
export function headersOf(body: Uint8Array | undefined): Record<string, string> {
  if (body === undefined) return {};
  return { "content-type": "application/json", "content-length": String(body.length) };
}

/** The code in OpenAI's error envelope, `{"error":{"code":…}}`, and the id of what was made, `{"id":…}`. */
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
