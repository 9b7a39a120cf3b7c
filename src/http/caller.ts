import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../core/caller.js";
import { GgufdError } from "../core/errors.js";
import { clientAddressOf } from "./client-address.js";

declare module "fastify" {
  interface FastifyInstance {
    /** Time limit from the arrival of a request to the end of its response, in seconds; 0: none. */
    answerTimeoutSeconds: number;
    /**
     * Default handling of started streams when the engine exits and has to restart; clients can
     * override it per request.
     */
    cutStreams: CutStreams;
  }
}

/**
 * `ended`: the stream ends with an error; `resumed`: it continues once the engine has restarted.
 */
export type CutStreams = "ended" | "resumed";

/**
 * Request header. `true`: the stream continues after an engine restart; `false`: it ends with an
 * error.
 */
export const RESUMPTION_HEADER = "x-resume-stream";

/**
 * The caller of a request; its signal is aborted when the client disconnects or the time limit
 * expires.
 */
export function buildCaller(request: FastifyRequest, reply: FastifyReply): Caller {
  const { keyUse, observations, innerCall } = request;
  return {
    ...(innerCall?.class !== undefined && { class: innerCall.class }),
    signal: createAnswerSignal(reply),
    onEnd: (listener) => onAnswerEnd(reply, listener),
    name: nameOf(request),
    ...(keyUse !== undefined && { keyName: keyUse.key.name }),
    weight: keyUse?.key.weight ?? 1,
    ...(keyUse?.tokens !== undefined && { tokens: keyUse.tokens }),
    decideAfterInterruption: createCutStreamsGetter(request, reply),
    observe: (choice, stage) => {
      for (const { observe } of observations) observe(choice, stage);
    },
  };
}

/** Batches of a server without keys share one fair share. */
function nameOf(request: FastifyRequest): string {
  const { keyUse, innerCall } = request;
  if (keyUse !== undefined) return `key:${keyUse.key.name}`;
  return innerCall?.class === "batch" ? "batches" : `address:${clientAddressOf(request)}`;
}

function onAnswerEnd({ raw }: FastifyReply, listener: () => void): void {
  if (raw.closed) listener();
  else raw.once("close", listener);
}

function createAnswerSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  abortOnDisconnect(controller, reply);
  reply.raw.once("close", abortAtTimeLimit(controller, reply));
  return controller.signal;
}

/** A signal aborted when the client disconnects before its response is complete. */
export function createDisconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  abortOnDisconnect(controller, reply);
  return controller.signal;
}

/**
 * A signal for an endless response without a time limit: aborted when the client disconnects or the
 * server drains.
 */
export function createEndlessAnswerSignal(reply: FastifyReply): AbortSignal {
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
 * Aborts a controller when the time limit of a request expires, with the error sent to the client.
 * @returns stops the timer
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
  // The timer of a background response must not keep a stopped server's process alive.
  timer.unref();
  return () => clearTimeout(timer);
}

/** @param cutStreams as {@link FastifyInstance.cutStreams} */
export function setStreamResumption(app: FastifyInstance, cutStreams: CutStreams): void {
  app.decorate("cutStreams", cutStreams);
}

/**
 * Creates a getter of the handling of an answer when the engine exits. Until the first output is
 * sent it returns `resumed`, because the client cannot notice a restart before. An answer that
 * another replica can continue without a pause ends only if the client requests it.
 * @throws {GgufdError} `invalid_request` for an invalid header value
 */
function createCutStreamsGetter(
  request: FastifyRequest,
  reply: FastifyReply,
): Caller["decideAfterInterruption"] {
  const requestedHandling = readResumptionHeader(request);
  const { cutStreams } = request.server;
  return (pause) => {
    if (!reply.raw.headersSent) return "resumed";
    return requestedHandling ?? (pause === "none" ? "resumed" : cutStreams);
  };
}

function readResumptionHeader({ headers }: FastifyRequest): CutStreams | undefined {
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
