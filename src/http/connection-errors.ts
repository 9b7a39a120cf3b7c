import { type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type ErrorCode, GgufdError } from "../core/errors.js";
import type { PrintError } from "./error-handler.js";
import { LAST_ANSWER_MS } from "./lingering-close.js";
import { requestLimits } from "./request-checks.js";
import { chooseRequestId, NO_SNIFFING, REQUEST_ID_HEADER } from "./response-headers.js";

/** OpenSSL's error code for plain HTTP sent to a TLS port. */
export const PLAIN_HTTP = "ERR_SSL_HTTP_REQUEST";

/** Node.js error codes with their own entry in the error catalogue. */
const knownErrors: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: [
    "headers_too_large",
    `request: expected at most ${requestLimits.headBytes} bytes of request line and headers, got more.`,
  ],
  [PLAIN_HTTP]: [
    "invalid_request",
    "This port speaks https: expected https:// in the URL, got http://.",
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    "request_timeout",
    `The request did not arrive in time: expected its headers within ${requestLimits.headersTimeoutMs / 1000} seconds, and all of it within ${requestLimits.requestTimeoutMs / 1000}.`,
  ],
};

/** Unfinished responses of each connection. */
const openAnswers = new WeakMap<Socket, Set<ServerResponse>>();

/** Tracks the unfinished responses of each connection. Call before the server listens. */
export function trackOpenAnswers(server: Server): void {
  server.on("request", ({ socket }, response) => {
    const answers = openAnswers.get(socket) ?? new Set();
    openAnswers.set(socket, answers.add(response));
    response.once("close", () => answers.delete(response));
  });
}

/**
 * Answers malformed requests, which never reach a handler, directly on the socket. If another
 * response has already started on the connection, the connection is closed instead.
 */
export function answerConnectionErrors(printError: PrintError) {
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (!socket.writable || error.code === "ECONNRESET" || hasBegunToAnswer(socket)) {
      socket.destroy();
      return;
    }
    const [code, message] = knownErrors[error.code ?? ""] ?? [
      "invalid_request",
      "The request is not valid HTTP.",
    ];
    const answer = new GgufdError(code, message);
    const requestId = chooseRequestId({ headers: {} });
    const body = JSON.stringify(printError(answer, requestId));
    socket.end(
      [
        `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
        "content-type: application/json; charset=utf-8",
        `content-length: ${Buffer.byteLength(body)}`,
        `${REQUEST_ID_HEADER}: ${requestId}`,
        ...Object.entries(NO_SNIFFING).map(([name, value]) => `${name}: ${value}`),
        "connection: close",
        "",
        body,
      ].join("\r\n"),
    );
    // HTTP servers destroy sockets that time out.
    socket.setTimeout(LAST_ANSWER_MS);
  };
}

function hasBegunToAnswer(socket: Socket): boolean {
  return [...(openAnswers.get(socket) ?? [])].some(({ headersSent }) => headersSent);
}
