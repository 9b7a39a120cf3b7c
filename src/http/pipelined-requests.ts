import assert from "node:assert/strict";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests waiting for earlier responses; beyond this limit, reading of the connection pauses. */
const MAX_WAITING = 1000;
/**
 * Bytes read since the first waiting request arrived; beyond this limit, reading of the connection
 * pauses.
 */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * Listeners per event of a response, before Node.js reports a leak. Everything tied to a request,
 * including Fastify, listens for the end of its response.
 */
const MAX_LISTENERS = 32;

interface WaitingRequest {
  readonly response: ServerResponse;
  readonly handle: () => void;
  /** Bytes read from the connection when the request arrived. */
  readonly bytesRead: number;
}

/**
 * Handles the requests of a connection one after another, each after the previous response has
 * ended and other connections have been served. Node.js itself dispatches pipelined requests as
 * they are parsed, up to a thousand at once, and all responses but the first have no socket, so
 * that they emit no `close` when the client hangs up. Here every response being handled has its
 * socket, and requests still waiting when a connection closes are never handled (clients repeat
 * unanswered requests: RFC 9112, section 9.3.2).
 *
 * Reading of a connection beyond the limits pauses until its responses have caught up; until then a
 * disconnect is noticed only by the next write. A single read, at most 64 KiB, may exceed the
 * limits.
 *
 * Wraps the server's listeners: call after they are added and before the server listens.
 */
export function queuePipelinedRequests(server: Server): void {
  const listeners = server.listeners("request");
  assert(listeners.length > 0, "expected a server that handles requests");
  const queues = new WeakMap<Socket, ConnectionQueue>();
  const receive = (request: IncomingMessage, response: ServerResponse, handle: () => void) => {
    const { socket } = request;
    const queue = queues.get(socket) ?? new ConnectionQueue(socket);
    queues.set(socket, queue);
    queue.add(response, handle);
  };

  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) =>
    receive(request, response, () => {
      for (const listener of listeners) listener.call(server, request, response);
    }),
  );
  // Without this listener Node.js answers at once, even while other requests wait.
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) =>
    receive(request, response, () => response.writeHead(417).end()),
  );
}

/** The requests of one connection, handled one at a time. */
class ConnectionQueue {
  readonly #socket: Socket;
  readonly #waitingRequests: WaitingRequest[] = [];
  #state: "idle" | "answering" = "idle";
  #reading: "on" | "paused" = "on";

  constructor(socket: Socket) {
    this.#socket = socket;
    // Reading a body resumes its connection.
    socket.on("resume", () => {
      if (this.#reading === "paused") socket.pause();
    });
  }

  add(response: ServerResponse, handle: () => void): void {
    if (this.#state === "idle") {
      this.#handle(response, handle);
      return;
    }
    this.#waitingRequests.push({ response, handle, bytesRead: this.#socket.bytesRead });
    if (!this.#isTooFarAhead) return;
    this.#reading = "paused";
    this.#socket.pause();
  }

  #handle(response: ServerResponse, handle: () => void): void {
    this.#state = "answering";
    response.setMaxListeners(MAX_LISTENERS);
    // Emitted even after the client has disconnected, because this response has its socket.
    response.once("close", () => this.#next());
    handle();
  }

  #next(): void {
    if (this.#socket.destroyed) this.#waitingRequests.length = 0;
    if (this.#waitingRequests.length === 0) {
      this.#state = "idle";
      return;
    }
    setImmediate(() => {
      const next = this.#socket.destroyed ? undefined : this.#waitingRequests.shift();
      if (next === undefined) {
        this.#next();
        return;
      }
      if (this.#reading === "paused" && !this.#isTooFarAhead) {
        this.#reading = "on";
        this.#socket.resume();
      }
      this.#handle(next.response, next.handle);
    });
  }

  get #isTooFarAhead(): boolean {
    const [first] = this.#waitingRequests;
    if (first === undefined) return false;
    return (
      this.#waitingRequests.length > MAX_WAITING ||
      this.#socket.bytesRead - first.bytesRead > MAX_WAITING_BYTES
    );
  }
}
