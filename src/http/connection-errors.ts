import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type ErrorCode, GgufdError } from "../core/errors.js";
import type { PrintError } from "./error-handler.js";
import { REQUEST_ID_HEADER, requestIdOf } from "./request-id.js";

/** What Node's HTTP parser calls the errors that have a code of their own. */
const codes: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ["headers_too_large", "The request's headers are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: ["request_timeout", "The request did not arrive in time."],
};

/** Answers what is not even a request: it never reaches a handler, only its socket is there. */
export function answerConnectionErrors(printError: PrintError) {
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (!socket.writable || error.code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    const [code, message] = codes[error.code ?? ""] ?? [
      "invalid_request",
      "The request is not HTTP that this server can read.",
    ];
    const answer = new GgufdError(code, message);
    const requestId = requestIdOf({ headers: {} });
    const body = JSON.stringify(printError(answer, requestId));
    socket.end(
      [
        `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
        "content-type: application/json; charset=utf-8",
        `content-length: ${Buffer.byteLength(body)}`,
        `${REQUEST_ID_HEADER}: ${requestId}`,
        "connection: close",
        "",
        body,
      ].join("\r\n"),
    );
  };
}
