import type { IncomingMessage, Server, ServerResponse } from "node:http";

export interface TurnTakingOptions {
  /** Turns of the event loop from one beginning to the next: a positive integer. */
  readonly turnsApart: number;
  /** Requests whose beginning takes long; all others begin at once, whoever else has come. */
  readonly isLong: (request: IncomingMessage) => boolean;
}

/**
 * Lets long requests begin one after the other, some turns of the event loop apart, in order of arrival.
 * Node accepts one connection in each turn: when a thousand clients come at once, a health check
 * stands in line with them, and the line moves only as fast as turns are short.
 */
export function takeTurns(server: Server, { turnsApart, isLong }: TurnTakingOptions): void {
  const listeners = server.listeners("request");
  const waiting: (() => void)[] = [];
  let turnsLeft = 0;

  // The next turn is certain before a request begins, whatever becomes of that.
  const begin = (one: () => void): void => {
    turnsLeft = turnsApart;
    setImmediate(nextTurn);
    one();
  };
  const nextTurn = (): void => {
    turnsLeft -= 1;
    if (turnsLeft > 0) return void setImmediate(nextTurn);
    const first = waiting.shift();
    if (first !== undefined) begin(first);
  };

  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const answer = () => {
      for (const listener of listeners) listener.call(server, request, response);
    };
    if (!isLong(request)) return answer();
    if (turnsLeft > 0) return void waiting.push(answer);
    begin(answer);
  });
}
