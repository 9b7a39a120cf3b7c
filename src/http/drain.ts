import type { ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyInstance {
    /** From now on every answer that has not begun tells its client to close the connection. */
    drain(): void;
  }
}

/**
 * Lets an application drain its connections: clients and proxies that reuse one would meet a closed socket
 * when the server ends.
 */
export function drainConnections(app: FastifyInstance): void {
  const unanswered = new Set<ServerResponse>();
  let state: "open" | "draining" = "open";
  app.decorate("drain", () => {
    state = "draining";
    for (const response of unanswered) closeAfter(response);
  });
  app.addHook("onRequest", async (_request, { raw }) => {
    if (state === "draining") return closeAfter(raw);
    unanswered.add(raw);
    raw.once("close", () => unanswered.delete(raw));
  });
}

function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("connection", "close");
}
