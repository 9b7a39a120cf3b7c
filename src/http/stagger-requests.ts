import assert from "node:assert/strict";
import type { IncomingMessage, Server, ServerResponse } from "node:http";

export interface StaggerOptions {
  /** Event-loop turns between the starts of two expensive requests: a positive integer. */
  readonly eventLoopTurnsBetweenStarts: number;
  /** Whether a request is expensive to start; all others start immediately. */
  readonly isExpensive: (request: IncomingMessage) => boolean;
}

interface StaggeredRequest {
  readonly response: ServerResponse;
  readonly handle: () => void;
}

/**
 * Staggers the starts of expensive requests over event-loop turns, in order of arrival. Node.js
 * accepts one connection per turn: when a thousand clients connect at once, a health check queues
 * behind them, and short turns keep that queue moving. A request whose client disconnects before
 * its start is never started: its response would emit no `close`, which observers wait for.
 */
export function staggerRequests(
  server: Server,
  { eventLoopTurnsBetweenStarts, isExpensive }: StaggerOptions,
): void {
  assert(
    Number.isInteger(eventLoopTurnsBetweenStarts) && eventLoopTurnsBetweenStarts > 0,
    `expected a positive integer of turns, got ${eventLoopTurnsBetweenStarts}`,
  );
  const listeners = server.listeners("request");
  const queue: StaggeredRequest[] = [];
  let turnsUntilNextStart = 0;

  // The next turn is scheduled before the request starts, in case the start throws.
  const start = (handle: () => void): void => {
    turnsUntilNextStart = eventLoopTurnsBetweenStarts;
    setImmediate(onTurn);
    handle();
  };
  const onTurn = (): void => {
    turnsUntilNextStart -= 1;
    if (turnsUntilNextStart > 0) return void setImmediate(onTurn);
    let next = queue.shift();
    while (next?.response.destroyed) next = queue.shift();
    if (next !== undefined) start(next.handle);
  };

  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const handle = () => {
      for (const listener of listeners) listener.call(server, request, response);
    };
    if (!isExpensive(request)) return handle();
    if (turnsUntilNextStart > 0) return void queue.push({ response, handle });
    start(handle);
  });
}
