import type { FastifyReply } from "fastify";

/** A signal that is aborted when the client disconnects before its response is complete. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  abortOnDisconnect(controller, reply);
  return controller.signal;
}

/** Aborts a controller when the client disconnects before its response is complete. */
export function abortOnDisconnect(controller: AbortController, { raw }: FastifyReply): void {
  if (raw.destroyed) controller.abort();
  raw.once("close", () => {
    if (!raw.writableFinished) controller.abort();
  });
}
