import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation-event.js";
import type { StoppingParameters } from "../../../src/core/generation-request.js";
import { GeneratedText } from "../../../src/engine/output/generated-text.js";
import { OutputParser } from "../../../src/engine/output/output-parser.js";
import { RunningGeneration } from "../../../src/engine/step/running-generation.js";
import { noSampler } from "./no-sampler.js";

/** Every character is a token, its UTF-16 code. */
const tokensOf = (text: string) => Array.from(text, (character) => character.charCodeAt(0));
const bytesOf = (token: number) => new TextEncoder().encode(String.fromCharCode(token));
const END = 0;

/** A generation that says a text, a token for each character, until it ends or is ended. */
function say(said: string, asked: Partial<StoppingParameters> = {}) {
  const stopping = { minTokens: 0, stop: [], ignoreEos: false, ...asked };
  const reading = { beginsWith: "anything", toolCalls: "parsed" } as const;
  const events: GenerationEvent[] = [];
  const endOfGeneration = new Set([END]);
  const promptTokens = tokensOf("p");
  const generation = new RunningGeneration({
    prepared: { id: "g", promptTokens, reading, maxTokens: 1000, sampling: {}, stopping },
    emit: (event) => events.push(event),
    lease: { sequenceId: 0, heldTokens: [] },
    admitted: 1,
    cachedTokens: 0,
    createSampler: noSampler,
    text: new GeneratedText({ bytesOf, stop: stopping.stop, minTokens: 0 }),
    parser: new OutputParser(reading),
    endOfGeneration,
    now: () => 0,
  });
  for (const token of [...tokensOf(said), END]) {
    const reason = generation.accept(token);
    if (reason === undefined) continue;
    generation.finish(reason);
    break;
  }
  return events;
}

const add = '<tool_call>{"name":"add","arguments":{"a":1}}</tool_call>';

describe("what a generation says", () => {
  it("tells tool calls with ids and increasing index, and ends with them", () => {
    const events = say(`Wait.${add}${add}`);
    const calls = events.filter((event) => event.type === "tool-call");
    expect(calls.map(({ index, call }) => [index, call.name, call.arguments])).toEqual([
      [0, "add", '{"a":1}'],
      [1, "add", '{"a":1}'],
    ]);
    expect(new Set(calls.map(({ call }) => call.id)).size).toBe(2);
    expect(events.at(-1)).toMatchObject({ type: "finished", reason: "tool-calls" });
  });

  it("ends after the calls that it may make", () => {
    const events = say(`${add}${add} and more`, { maxToolCalls: 1 });
    expect(events.map(({ type }) => type)).toEqual(["tool-call", "finished"]);
    expect(events.at(-1)).toMatchObject({
      reason: "tool-calls",
      usage: { completionTokens: add.length },
    });
  });

  it("ends with a call that was left open", () => {
    const events = say('<tool_call>{"name":"now"}');
    expect(events.map(({ type }) => type)).toEqual(["tool-call", "finished"]);
    expect(events.at(-1)).toMatchObject({ reason: "tool-calls" });
  });

  it("counts the tokens of its reasoning", () => {
    const reasoning = "<think>hm, well</think>";
    const events = say(`${reasoning}Yes.`);
    const text = (type: "text-delta" | "reasoning-delta") =>
      events.flatMap((event) => (event.type === type ? [event.text] : [])).join("");
    expect(text("reasoning-delta")).toBe("hm, well");
    expect(text("text-delta")).toBe("Yes.");
    expect(events.at(-1)).toMatchObject({
      reason: "stop",
      usage: {
        completionTokens: `${reasoning}Yes.`.length + 1,
        reasoningTokens: "hm, well</think>".length + 1,
      },
    });
  });

  it("stays inside its stop strings with tags too", () => {
    const events = say(`a STOP ${add}`, { stop: ["STOP"] });
    expect(events.map(({ type }) => type)).toEqual(["text-delta", "text-delta", "finished"]);
    expect(events.at(-1)).toMatchObject({ reason: "stop" });
  });
});
