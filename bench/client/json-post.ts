import { request } from "node:http";
import { text } from "node:stream/consumers";
import { reasonOf } from "../../src/core/reason-of.js";

/** A request without an answer for this long counts as unanswered. */
const ANSWER_TIMEOUT_MS = 120_000;

/** What a server did with a request. */
export type Answer =
  | {
      readonly kind: "status";
      readonly status: number;
      /** The error's code; absent in other answers. */
      readonly code: string | undefined;
    }
  /** The connection was reset, or nothing came in time. */
  | { readonly kind: "none"; readonly reason: string };

/** Posts JSON over a connection of its own and reads the whole answer. Never rejects. */
export function postJson(url: string, body: Uint8Array): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (error: unknown) => resolve({ kind: "none", reason: reasonOf(error) });
    const outgoing = request(url, {
      method: "POST",
      headers: { "content-type": "application/json", "content-length": body.length },
      agent: false,
    });
    outgoing.on("error", fail).on("response", (response) => {
      const { statusCode: status = 0 } = response;
      text(response).then(
        (content) => resolve({ kind: "status", status, code: errorCodeOf(content) }),
        fail,
      );
    });
    outgoing.setTimeout(ANSWER_TIMEOUT_MS, () =>
      outgoing.destroy(new Error(`no answer for ${ANSWER_TIMEOUT_MS / 1000} s`)),
    );
    outgoing.end(body);
  });
}

/** The code in OpenAI's error envelope, `{"error":{"code":…}}`. */
function errorCodeOf(content: string): string | undefined {
  try {
    const { error } = JSON.parse(content) as { readonly error?: { readonly code?: unknown } };
    return typeof error?.code === "string" ? error.code : undefined;
  } catch {
    return undefined;
  }
}
