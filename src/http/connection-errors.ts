import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type ErrorCode, GgufdError } from "../core/errors.js";
import type { PrintError } from "./error-handler.js";
import { REQUEST_ID_HEADER, requestIdOf } from "./request-id.js";

/** Error codes of Node's HTTP server with an entry of their own in the catalogue. */
const knownErrors: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ["headers_too_large", "The request's headers are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: ["request_timeout", "The request did not arrive in time."],
};

/** Answers malformed requests, which never reach a handler, directly on the socket. */
export function answerConnectionErrors(printError: PrintError) {
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (!socket.writable || error.code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    const [code, message] = knownErrors[error.code ?? ""] ?? [
      "invalid_request",
      "The request is not valid HTTP.",
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
