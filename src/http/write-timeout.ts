import type { FastifyInstance } from "fastify";

/**
 * Ends requests whose clients have stopped reading. What the socket does not take is held for its client;
 * when nothing of it has gone out for a time the socket is destroyed, and the request is cancelled as
 * for any client that is gone. A client that reads slowly keeps its answer, and so does one for which
 * there is nothing to read yet.
 * @param timeoutMs time without progress, in milliseconds; where a part of a piece went out it may be twice
 *   as long
 */
export function endUnreadAnswers(app: FastifyInstance, timeoutMs: number): void {
  app.addHook("onRequest", async (_request, { raw }) => {
    // Sockets measure their own progress, also within a piece that the kernel takes in parts.
    raw.setTimeout(timeoutMs, () => {
      if ((raw.socket?.writableLength ?? 0) > 0) raw.destroy();
    });
  });
}
