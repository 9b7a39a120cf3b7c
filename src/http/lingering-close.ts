import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";

/** Time for a client to read the last answer and close the connection, in milliseconds. */
export const LAST_ANSWER_MS = 2000;
/** Maximum time for which the rest of a body is received, in milliseconds. */
const LINGER_MS = 30_000;

/**
 * Lets clients that are still sending a refused body read the answer: its connection is first closed
 * for writing only, and the rest of the body is discarded. Closing a connection with unread data
 * resets it, which discards the answer (RFC 9112, section 9.6). Call before the server listens.
 */
export function closeLingering(server: Server): void {
  const lastRequests = new WeakMap<Socket, IncomingMessage>();
  server.on("request", (request: IncomingMessage) => {
    const { socket } = request;
    if (!lastRequests.has(socket)) {
      const close = socket.destroySoon.bind(socket);
      // Node.js calls it after the last response of a connection.
      socket.destroySoon = () => {
        const last = lastRequests.get(socket);
        if (last === undefined || last.complete) close();
        else closeAfter(last, close);
      };
    }
    lastRequests.set(socket, request);
  });
}

function closeAfter(request: IncomingMessage, close: () => void): void {
  const { socket } = request;
  const timer = setTimeout(close, LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
  // HTTP servers destroy sockets that time out.
  socket.setTimeout(LAST_ANSWER_MS);
  socket.end();
  request.once("end", close).unpipe().removeAllListeners("data").resume();
}
