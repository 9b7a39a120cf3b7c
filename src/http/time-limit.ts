import type { FastifyInstance, FastifyReply } from "fastify";
import { GgufdError } from "../core/errors.js";

declare module "fastify" {
  interface FastifyInstance {
    /** Time for an answer, from the arrival of its request to its end, in seconds; 0: any. */
    answerTimeoutSeconds: number;
  }
}

/** @param seconds as {@link FastifyInstance.answerTimeoutSeconds} */
export function limitAnswerTime(app: FastifyInstance, seconds: number): void {
  app.decorate("answerTimeoutSeconds", seconds);
}

/**
 * Aborts a controller when the time of a request is up, with the error that its client is told.
 * @returns stops the clock
 */
export function abortAtTimeLimit(controller: AbortController, reply: FastifyReply): () => void {
  const { answerTimeoutSeconds: seconds } = reply.server;
  if (seconds === 0) return () => undefined;
  const timer = setTimeout(
    () => {
      const message = `The answer was not complete within ${seconds} seconds (--request-timeout).`;
      controller.abort(new GgufdError("answer_timeout", message));
    },
    seconds * 1000 - reply.elapsedTime,
  );
  // One for an answer in the background may outlive the server.
  timer.unref();
  return () => clearTimeout(timer);
}
