import assert from "node:assert/strict";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests that wait for earlier answers; beyond them a connection is not read. */
const MAX_WAITING = 1000;
/** Bytes read since the first waiting request arrived; beyond them a connection is not read either. */
const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * Of one event of an answer: its end is what all that belongs to a request waits for, and Fastify waits as well. More
 * are taken for a leak.
 */
const MAX_LISTENERS = 32;

interface WaitingRequest {
  readonly response: ServerResponse;
  readonly handle: () => void;
  /** Of its connection, when it came. */
  readonly bytesRead: number;
}

/**
 * Handles the requests of a connection one after another, each when the answer to the one before it has ended
 * and other connections have had their turn. Node.js itself hands them over as they are parsed, a thousand
 * pipelined ones at once, and the answers after the first have no socket: they emit no `close` when their
 * client hangs up. Here every answer that is handled has its socket, and what waits when a connection
 * closes is never handled (RFC 9112, section 9.3.2, has clients repeat what was not answered).
 *
 * A client that sends further ahead than the limits is read again when its answers have caught up; until then
 * its hanging up is noticed by the next write only. What one read has brought, at most 64 KiB, may exceed them.
 *
 * Wraps the listeners that the server has: must be called after they are added, and before the server listens.
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
  // Without this listener Node.js answers at once, also while others wait.
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) =>
    receive(request, response, () => response.writeHead(417).end()),
  );
}

/** The requests of one connection, of which one is handled at a time. */
class ConnectionQueue {
  readonly #socket: Socket;
  readonly #waiting: WaitingRequest[] = [];
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
    this.#waiting.push({ response, handle, bytesRead: this.#socket.bytesRead });
    if (!this.#isTooFarAhead) return;
    this.#reading = "paused";
    this.#socket.pause();
  }

  #handle(response: ServerResponse, handle: () => void): void {
    this.#state = "answering";
    response.setMaxListeners(MAX_LISTENERS);
    // Also when its client is gone: this answer has its socket.
    response.once("close", () => this.#next());
    handle();
  }

  #next(): void {
    if (this.#socket.destroyed) this.#waiting.length = 0;
    if (this.#waiting.length === 0) {
      this.#state = "idle";
      return;
    }
    setImmediate(() => {
      const next = this.#socket.destroyed ? undefined : this.#waiting.shift();
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
    const [first] = this.#waiting;
    if (first === undefined) return false;
    return (
      this.#waiting.length > MAX_WAITING ||
      this.#socket.bytesRead - first.bytesRead > MAX_WAITING_BYTES
    );
  }
}
