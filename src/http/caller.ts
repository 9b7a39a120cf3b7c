import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../core/caller.js";
import { disconnectSignal } from "./disconnect-signal.js";

/** The caller of a request, until its client disconnects. */
export function callerOf(request: FastifyRequest, reply: FastifyReply): Caller {
  const { ip, keyName, observations } = request;
  return {
    signal: disconnectSignal(reply),
    name: keyName === undefined ? `address:${ip}` : `key:${keyName}`,
    weight: 1,
    cutStreams: "ended",
    observe: (choice, stage) => {
      for (const { observe } of observations) observe(choice, stage);
    },
  };
}
