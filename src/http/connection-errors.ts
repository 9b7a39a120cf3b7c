import { type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type ErrorCode, GgufdError } from "../core/errors.js";
import type { PrintError } from "./error-handler.js";
import { requestLimits } from "./request-checks.js";
import { NO_SNIFFING, REQUEST_ID_HEADER, requestIdOf } from "./response-headers.js";

/** The code of OpenSSL for a request in plain HTTP where TLS is spoken. */
export const PLAIN_HTTP = "ERR_SSL_HTTP_REQUEST";

/** Error codes of Node's servers with an entry of their own in the catalogue. */
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

/** Time for a client to read the answer and to close the connection, in milliseconds. */
const LINGER_MS = 2000;

/** Answers that have not ended, by the connection that they go to. */
const openAnswers = new WeakMap<Socket, Set<ServerResponse>>();

/** Tracks the answers in progress of each connection. Must be called before the server listens. */
export function trackOpenAnswers(server: Server): void {
  server.on("request", ({ socket }, response) => {
    const answers = openAnswers.get(socket) ?? new Set();
    openAnswers.set(socket, answers.add(response));
    response.once("close", () => answers.delete(response));
  });
}

/**
 * Answers malformed requests, which never reach a handler, directly on the socket. After the beginning of
 * another answer no error can be sent: the connection is closed.
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
    const requestId = requestIdOf({ headers: {} });
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
    // An HTTP server destroys sockets that time out.
    socket.setTimeout(LINGER_MS);
  };
}

function hasBegunToAnswer(socket: Socket): boolean {
  return [...(openAnswers.get(socket) ?? [])].some(({ headersSent }) => headersSent);
}
