import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation-event.js";
import type { StoppingParameters } from "../../../src/core/generation-request.js";
import { createEmptyIdentity } from "../../../src/engine/cache/prompt-identity.js";
import { RunningGeneration } from "../../../src/engine/step/running-generation.js";
import { GeneratedText } from "../../../src/engine/text/output/generated-text.js";
import { OutputParser } from "../../../src/engine/text/output/output-parser.js";
import { plainReading } from "../../support/plain-reading.js";
import { noSampler } from "./no-sampler.js";

/** Every character is a token: its UTF-16 code unit. */
const tokensOf = (text: string) => Array.from(text, (character) => character.charCodeAt(0));
const bytesOf = (token: number) => new TextEncoder().encode(String.fromCharCode(token));
/** Upper-case letters of another alphabet stand for control tokens. */
const controlTextOf = (token: number) => controlTokens.get(String.fromCharCode(token));
const controlTokens = new Map([["Ω", "<tool_call>"]]);
const END = 0;

function begin(limits: Partial<StoppingParameters>) {
  const stopping = { minTokens: 0, stop: [], ignoreEos: false, ...limits };
  const reading = { ...plainReading, toolCalls: "parsed" } as const;
  const events: GenerationEvent[] = [];
  const endOfGeneration = new Set([END]);
  const promptTokens = tokensOf("p");
  const generation = new RunningGeneration({
    prepared: { id: "g", promptTokens, reading, maxTokens: 1000, sampling: {}, stopping },
    emit: (event) => events.push(event),
    lease: { number: 1, sequenceId: 0, contents: createEmptyIdentity(), partialMediaCells: 0 },
    admissionOrder: 1,
    reportableTokens: 0,
    createSampler: noSampler,
    text: new GeneratedText({ bytesOf, controlTextOf, stop: stopping.stop, minTokens: 0 }),
    parser: new OutputParser(reading),
    endOfGeneration,
    now: () => 0,
  });
  return { events, generation };
}

/** The events of a generation that outputs a text, one token per character, until it ends. */
function generate(output: string, limits: Partial<StoppingParameters> = {}) {
  const { events, generation } = begin(limits);
  for (const token of [...tokensOf(output), END]) {
    const ending = generation.accept(token);
    const reason = generation.settle() ?? ending;
    if (reason === undefined) continue;
    generation.finish(reason);
    break;
  }
  return events;
}

function argumentsOf(events: readonly GenerationEvent[], index: number): string {
  return events
    .flatMap((event) =>
      event.type === "tool-call-arguments" && event.index === index ? [event.text] : [],
    )
    .join("");
}

const add = '<tool_call>{"name":"add","arguments":{"a":1}}</tool_call>';

describe("the output of a generation", () => {
  it("has tool calls with unique ids and increasing indices, and a matching finish reason", () => {
    const events = generate(`Wait.${add}${add}`);
    const calls = events.filter((event) => event.type === "tool-call-begin");
    expect(calls.map(({ index, name }) => [index, name])).toEqual([
      [0, "add"],
      [1, "add"],
    ]);
    expect([argumentsOf(events, 0), argumentsOf(events, 1)]).toEqual(['{"a":1}', '{"a":1}']);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    expect(events.at(-1)).toMatchObject({ type: "finished", reason: "tool-calls" });
  });

  it("ends after the maximum number of tool calls", () => {
    const events = generate(`${add}${add} and more`, { maxToolCalls: 1 });
    expect(events.filter(({ type }) => type === "tool-call-begin")).toHaveLength(1);
    expect(argumentsOf(events, 0)).toBe('{"a":1}');
    expect(events.at(-1)).toMatchObject({
      reason: "tool-calls",
      usage: { completionTokens: add.length },
    });
  });

  it("may end with an unclosed tool call", () => {
    const events = generate('<tool_call>{"name":"now"}');
    expect(events.map(({ type }) => type)).toEqual([
      "tool-call-begin",
      "tool-call-arguments",
      "finished",
    ]);
    expect(events.at(-1)).toMatchObject({ reason: "tool-calls" });
  });

  it("keeps the partial arguments of a call truncated by the token limit", () => {
    const { events, generation } = begin({});
    for (const token of tokensOf('<tool_call>{"name":"add","arguments":{"a":[1,2')) {
      generation.accept(token);
    }
    generation.settle();
    generation.finish("length");
    expect(argumentsOf(events, 0)).toBe('{"a":[1,2');
    expect(events.at(-1)).toMatchObject({ reason: "length" });
  });

  it("streams the arguments of a call token by token", () => {
    const events = generate('<tool_call>{"name":"add","arguments":{"a": 1.0}}</tool_call>');
    const deltas = events.flatMap((event) =>
      event.type === "tool-call-arguments" ? [event.text] : [],
    );
    expect(deltas).toEqual([...'{"a": 1.0}']);
  });

  it("parses calls that begin with a control token, and omits the token from the text", () => {
    const events = generate('So:Ω{"name":"add","arguments":{}}</tool_call>');
    expect(events.filter(({ type }) => type === "text-delta").length).toBe("So:".length);
    expect(argumentsOf(events, 0)).toBe("{}");
  });

  it("includes the number of reasoning tokens in the usage", () => {
    const reasoning = "<think>hm, well</think>";
    const events = generate(`${reasoning}Yes.`);
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

  it("reports the stop string that ended it", () => {
    const stop = ["never", "STOP"];
    expect(generate("abSTOPcd", { stop }).at(-1)).toMatchObject({
      reason: "stop",
      stopString: "STOP",
    });
    expect(generate("ab", { stop }).at(-1)).not.toHaveProperty("stopString");
    expect(generate(`${add}abSTOP`, { stop }).at(-1)).not.toHaveProperty("stopString");
  });

  it("is truncated at its end, regardless of the tokens accepted after it", () => {
    const text = "abcSTOPdef";
    const { events, generation } = begin({ stop: ["STOP"] });
    for (const token of tokensOf(text)) generation.accept(token);
    expect(events).toEqual([]);
    expect(generation.settle()).toBe("stop");
    generation.finish("stop");
    expect(events.map((event) => (event.type === "text-delta" ? event.text : ""))).toEqual([
      ..."abc",
      "",
    ]);
    expect(events.at(-1)).toMatchObject({ usage: { completionTokens: "abcSTOP".length } });
  });

  it("ends at a stop string before a tool call", () => {
    const events = generate(`a STOP ${add}`, { stop: ["STOP"] });
    expect(events.map(({ type }) => type)).toEqual(["text-delta", "text-delta", "finished"]);
    expect(events.at(-1)).toMatchObject({ reason: "stop" });
  });
});
