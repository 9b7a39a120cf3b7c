import type { IncomingMessage, Server, ServerResponse } from "node:http";

export interface TurnTakingOptions {
  /** How many requests may begin in one turn of the event loop: a positive integer. */
  readonly requestsPerTurn: number;
  /** Requests that begin at once, whoever else has come. */
  readonly isUrgent: (request: IncomingMessage) => boolean;
}

/**
 * Lets a few requests begin in one turn of the event loop and the others in the turns that follow,
 * in order of arrival. When a thousand clients ask at once, running streams and health checks still
 * get their share.
 */
export function takeTurns(server: Server, { requestsPerTurn, isUrgent }: TurnTakingOptions): void {
  const listeners = server.listeners("request");
  const waiting: (() => void)[] = [];
  let begunInTurn = 0;

  const nextTurn = (): void => {
    const begin = waiting.splice(0, requestsPerTurn);
    begunInTurn = begin.length;
    if (begunInTurn > 0) setImmediate(nextTurn);
    for (const one of begin) one();
  };

  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const begin = () => {
      for (const listener of listeners) listener.call(server, request, response);
    };
    if (isUrgent(request)) return begin();
    if (begunInTurn >= requestsPerTurn) return void waiting.push(begin);
    if (begunInTurn === 0) setImmediate(nextTurn);
    begunInTurn += 1;
    begin();
  });
}
