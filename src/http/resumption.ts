import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { GgufdError } from "../core/errors.js";

declare module "fastify" {
  interface FastifyInstance {
    /** What becomes of streams that have begun when the engine is lost, unless their client says otherwise. */
    cutStreams: CutStreams;
  }
}

export type CutStreams = "ended" | "resumed";

/** `true`: the stream goes on after a restart of the engine. `false`: it ends with an error. */
export const RESUMPTION_HEADER = "x-resume-stream";

/** @param cutStreams as {@link FastifyInstance.cutStreams} */
export function resumeStreams(app: FastifyInstance, cutStreams: CutStreams): void {
  app.decorate("cutStreams", cutStreams);
}

/**
 * Whether an answer goes on when the engine is lost and back again. Until something of it has been sent, it always does:
 * its client cannot tell.
 * @throws {GgufdError} `invalid_request` for another value of the header
 */
export function cutAnswerOf(request: FastifyRequest, reply: FastifyReply): () => CutStreams {
  const wanted = wantedBy(request) ?? request.server.cutStreams;
  return () => (reply.raw.headersSent ? wanted : "resumed");
}

function wantedBy({ headers }: FastifyRequest): CutStreams | undefined {
  const value = headers[RESUMPTION_HEADER];
  switch (value) {
    case undefined:
      return undefined;
    case "true":
      return "resumed";
    case "false":
      return "ended";
  }
  const message = `${RESUMPTION_HEADER}: expected true or false, got ${JSON.stringify(value)}.`;
  throw new GgufdError("invalid_request", message, { param: RESUMPTION_HEADER });
}
