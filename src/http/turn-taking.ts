import type { preHandlerAsyncHookHandler } from "fastify";

/**
 * A hook that lets so many requests begin in one turn of the event loop and the others in the
 * turns that follow, in order of arrival. When a thousand clients ask at once, running streams and
 * health checks still get their share.
 * @param requestsPerTurn a positive integer
 */
export function takeTurns(requestsPerTurn: number): preHandlerAsyncHookHandler {
  const waiting: (() => void)[] = [];
  let begunInTurn = 0;

  const nextTurn = (): void => {
    const begin = waiting.splice(0, requestsPerTurn);
    begunInTurn = begin.length;
    if (begunInTurn > 0) setImmediate(nextTurn);
    for (const one of begin) one();
  };

  return async () => {
    if (begunInTurn === 0) setImmediate(nextTurn);
    if (begunInTurn < requestsPerTurn) begunInTurn += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
}
