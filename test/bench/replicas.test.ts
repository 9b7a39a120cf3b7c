import { describe, expect, it } from "vitest";
import { PromptWriter } from "../../bench/prompts/prompt-writer.js";
import { buildRequest, replicasMeasures } from "../../bench/scenarios/replicas.js";
import { sidesOf } from "../../bench/sides.js";
import { counts, record } from "./records.js";

const size = {
  systemPrompts: 3,
  systemTokens: 40,
  turns: 2,
  turnTokens: 16,
  maxTokens: 8,
} as const;
const prompts = new PromptWriter("run", 1);
const requestOf = (conversation: number, turn: number) =>
  buildRequest({ conversation, turn }, prompts, size);

describe("the conversations of the replicas benchmark", () => {
  it("have one of the system prompts each", () => {
    const systems = Array.from({ length: 40 }, (_, conversation) => {
      const [system] = requestOf(conversation, 0).messages;
      return system?.content;
    });
    expect(new Set(systems).size).toBe(size.systemPrompts);
    expect(requestOf(7, 1).messages[0]).toEqual(requestOf(7, 0).messages[0]);
  });

  it("continue their previous turn", () => {
    const [first, second] = [requestOf(7, 0), requestOf(7, 1)];
    expect(first.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(second.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "user",
    ]);
    expect(second.messages.slice(0, 2)).toEqual(first.messages);
  });
});

describe("the measures of the replicas benchmark", () => {
  it("are the share of cached prompt tokens, the output and the failures", () => {
    const answer = (cached: number) =>
      record({
        chunkTimesMs: [100, 150],
        endedAtMs: 1000,
        tokens: counts({ prompt: 200, cached, completion: 10 }),
      });
    expect(replicasMeasures([answer(0), answer(150), record({ error: "HTTP 503" })])).toMatchObject(
      {
        ...{ outputRate: 20, ttftP99: 100, itlP50: 50, hitRate: 37.5, failed: 1 },
      },
    );
  });
});

describe("the sides of the replicas benchmark", () => {
  it("are replicas that divide slots and threads, and one engine with all of them", () => {
    const sizes = { slots: 8, contextSize: 512, threads: 2 };
    const settings = { modelPath: "/m/x.gguf", purpose: "generate", ...sizes } as const;
    const options = { peer: { kind: "none" }, oursFlags: [], peerFlags: [] } as const;
    const sides = sidesOf({ kind: "replicas", count: 2 }, settings, options);
    expect(sides.map(({ label, kind }) => `${kind}: ${label}`)).toEqual([
      "ggufd: ggufd",
      "ggufd: ggufd, one engine",
    ]);
  });
});
