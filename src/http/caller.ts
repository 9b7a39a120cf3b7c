import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../core/caller.js";
import { abortOnDisconnect } from "./disconnect-signal.js";
import { cutAnswerOf } from "./resumption.js";
import { abortAtTimeLimit } from "./time-limit.js";

/** The caller of a request, until its client disconnects or its time is up. */
export function callerOf(request: FastifyRequest, reply: FastifyReply): Caller {
  const { ip, keyUse, observations } = request;
  return {
    signal: answerSignal(reply),
    name: keyUse === undefined ? `address:${ip}` : `key:${keyUse.key.name}`,
    ...(keyUse !== undefined && { keyName: keyUse.key.name }),
    weight: keyUse?.key.weight ?? 1,
    ...(keyUse?.tokens !== undefined && { tokens: keyUse.tokens }),
    cutAnswer: cutAnswerOf(request, reply),
    observe: (choice, stage) => {
      for (const { observe } of observations) observe(choice, stage);
    },
  };
}

function answerSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  abortOnDisconnect(controller, reply);
  reply.raw.once("close", abortAtTimeLimit(controller, reply));
  return controller.signal;
}
