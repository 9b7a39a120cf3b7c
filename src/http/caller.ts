import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../core/caller.js";
import { GgufdError } from "../core/errors.js";
import { clientAddressOf } from "./client-address.js";

declare module "fastify" {
  interface FastifyInstance {
    /** Time for an answer, from the arrival of its request to its end, in seconds; 0: any. */
    answerTimeoutSeconds: number;
    /** What becomes of streams that have begun when the engine is lost, unless their client says otherwise. */
    cutStreams: CutStreams;
  }
}

/** `ended`: with an error; `resumed`: they go on when the engine is back. */
export type CutStreams = "ended" | "resumed";

/** `true`: the stream goes on after a restart of the engine. `false`: it ends with an error. */
export const RESUMPTION_HEADER = "x-resume-stream";

/** The caller of a request, until its client disconnects or its time is up. */
export function callerOf(request: FastifyRequest, reply: FastifyReply): Caller {
  const { keyUse, observations } = request;
  return {
    signal: answerSignal(reply),
    onEnd: (listener) => onAnswerEnd(reply, listener),
    name: keyUse === undefined ? `address:${clientAddressOf(request)}` : `key:${keyUse.key.name}`,
    ...(keyUse !== undefined && { keyName: keyUse.key.name }),
    weight: keyUse?.key.weight ?? 1,
    ...(keyUse?.tokens !== undefined && { tokens: keyUse.tokens }),
    cutAnswer: cutAnswerOf(request, reply),
    observe: (choice, stage) => {
      for (const { observe } of observations) observe(choice, stage);
    },
  };
}

function onAnswerEnd({ raw }: FastifyReply, listener: () => void): void {
  if (raw.closed) listener();
  else raw.once("close", listener);
}

function answerSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  abortOnDisconnect(controller, reply);
  reply.raw.once("close", abortAtTimeLimit(controller, reply));
  return controller.signal;
}

/** A signal that is aborted when the client disconnects before its response is complete. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  abortOnDisconnect(controller, reply);
  return controller.signal;
}

/**
 * A signal for an answer that has no end of its own, and no time limit: it is aborted when the client disconnects, and
 * when the server drains.
 */
export function followingSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const { draining } = reply.server;
  const end = () => controller.abort();
  if (draining.aborted) end();
  draining.addEventListener("abort", end);
  reply.raw.once("close", () => draining.removeEventListener("abort", end));
  abortOnDisconnect(controller, reply);
  return controller.signal;
}

/** Aborts a controller when the client disconnects before its response is complete. */
function abortOnDisconnect(controller: AbortController, { raw }: FastifyReply): void {
  if (raw.destroyed) controller.abort();
  raw.once("close", () => {
    if (!raw.writableFinished) controller.abort();
  });
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

/** @param cutStreams as {@link FastifyInstance.cutStreams} */
export function setStreamResumption(app: FastifyInstance, cutStreams: CutStreams): void {
  app.decorate("cutStreams", cutStreams);
}

/**
 * Whether an answer goes on when the engine is lost and back again. Until something of it has been sent, it always does:
 * its client cannot tell.
 * @throws {GgufdError} `invalid_request` for another value of the header
 */
function cutAnswerOf(request: FastifyRequest, reply: FastifyReply): () => CutStreams {
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
