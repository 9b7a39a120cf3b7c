import type { FastifyReply, FastifyRequest } from "fastify";
import { describe, expect, it } from "vitest";
import { buildCaller, type CutStreams } from "../../src/http/caller.js";

/** Decides about a stream after the engine has exited. */
function decide(
  pause: "none" | "restart",
  { header, byDefault, sent }: { header?: string; byDefault: CutStreams; sent: boolean },
): CutStreams {
  const request = {
    headers: header === undefined ? {} : { "x-resume-stream": header },
    observations: [],
    server: { cutStreams: byDefault },
    ip: "::1",
    socket: {},
    raw: { headers: {}, socket: {} },
  };
  const raw = { once: () => undefined, headersSent: sent };
  const reply = { raw, server: { answerTimeoutSeconds: 0 } };
  const { decideAfterInterruption } = buildCaller(
    request as unknown as FastifyRequest,
    reply as unknown as FastifyReply,
  );
  return decideAfterInterruption(pause);
}

describe("a stream whose engine has exited", () => {
  it.each<
    [pause: "none" | "restart", header: string | undefined, byDefault: CutStreams, CutStreams]
  >([
    ["restart", undefined, "ended", "ended"],
    ["restart", undefined, "resumed", "resumed"],
    ["restart", "true", "ended", "resumed"],
    ["restart", "false", "resumed", "ended"],
    ["none", undefined, "ended", "resumed"],
    ["none", undefined, "resumed", "resumed"],
    ["none", "true", "ended", "resumed"],
    ["none", "false", "resumed", "ended"],
  ])(
    "with the pause %s, the header %s and the default %s is %s",
    (pause, header, byDefault, is) => {
      const given = { byDefault, ...(header !== undefined && { header }) };
      expect(decide(pause, { ...given, sent: true })).toBe(is);
      expect(decide(pause, { ...given, sent: false })).toBe("resumed");
    },
  );
});
