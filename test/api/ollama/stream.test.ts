import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnswerOrigin } from "../../../src/api/ollama/answer.js";
import {
  printJson,
  toChatFields,
  toGenerateFields,
  toWholeAnswer,
} from "../../../src/api/ollama/answer.js";
import { toLines } from "../../../src/api/ollama/stream.js";
import { GgufdError } from "../../../src/core/errors.js";
import type { ChoiceEvent, GenerationEvent } from "../../../src/core/generation-event.js";

const origin: AnswerOrigin = {
  model: "mini",
  now: () => new Date("2026-01-02T03:04:05.678Z"),
  elapsedMs: () => 7.5,
  loadMs: 2.5,
};

const usage = { promptTokens: 11, cachedTokens: 4, completionTokens: 6, reasoningTokens: 2 };
const timings = {
  prefillMs: 2.0000005,
  decodeMs: 3.25,
  draftTokens: 0,
  acceptedDraftTokens: 0,
  forcedTokens: 0,
};

const text = (piece: string): GenerationEvent => ({ type: "text-delta", text: piece, usage });
const thought = (piece: string): GenerationEvent => ({
  type: "reasoning-delta",
  text: piece,
  usage,
});
const call = (index: number, ...pieces: readonly string[]): GenerationEvent[] => [
  { type: "tool-call-begin", index, id: `call_${index}`, name: `tool${index}`, usage },
  ...pieces.map(
    (piece): GenerationEvent => ({ type: "tool-call-arguments", index, text: piece, usage }),
  ),
];
const finished = (reason: "stop" | "length" | "tool-calls" = "stop"): GenerationEvent => ({
  type: "finished",
  reason,
  usage,
  timings,
});

async function* choiceEvents(events: readonly GenerationEvent[]): AsyncGenerator<ChoiceEvent> {
  for (const event of events) yield { choice: 0, event };
}

/** Parses lines as a client does. */
async function parsed(lines: AsyncIterable<object>) {
  const values = [];
  for await (const line of lines) values.push(JSON.parse(printJson(line)));
  return values;
}

async function chatLines(...events: readonly GenerationEvent[]) {
  return parsed(toLines(choiceEvents(events), origin, toChatFields));
}

async function wholeChat(...events: readonly GenerationEvent[]) {
  const answer = await toWholeAnswer(choiceEvents(events), origin, toChatFields);
  return JSON.parse(printJson(answer ?? {}));
}

const piece = (message: object) => ({
  model: "mini",
  created_at: "2026-01-02T03:04:05.678Z",
  message: { role: "assistant", content: "", ...message },
  done: false,
});
const end = (reason = "stop") => ({
  ...piece({}),
  done: true,
  done_reason: reason,
  total_duration: 7_500_000,
  load_duration: 2_500_000,
  prompt_eval_count: 11,
  prompt_eval_duration: 2_000_001,
  eval_count: 6,
  eval_duration: 3_250_000,
});

describe("response lines", () => {
  it("contain one chunk each, followed by a line with the token counts", async () => {
    expect(await chatLines(thought("Hm."), text("One"), text(" two"), finished())).toEqual([
      piece({ thinking: "Hm." }),
      piece({ content: "One" }),
      piece({ content: " two" }),
      end(),
    ]);
  });

  it("use Ollama's finish reasons", async () => {
    expect(await chatLines(finished("stop"))).toEqual([end("stop")]);
    expect(await chatLines(finished("length"))).toEqual([end("length")]);
    expect(await chatLines(finished("tool-calls"))).toEqual([end("stop")]);
  });

  it("contain each tool call as a whole, once it is complete", async () => {
    const lines = await chatLines(
      ...call(0, '{"a', '":[1', ",2]}"),
      ...call(1, "{}"),
      text("So."),
      ...call(2, "{}"),
      finished("tool-calls"),
    );
    const made = (id: string, name: string, args: object) =>
      piece({ tool_calls: [{ id, function: { name, arguments: args } }] });
    expect(lines).toEqual([
      made("call_0", "tool0", { a: [1, 2] }),
      made("call_1", "tool1", {}),
      piece({ content: "So." }),
      made("call_2", "tool2", {}),
      end(),
    ]);
  });

  it("omit a tool call that was truncated", async () => {
    for (const pieces of [[], [""], ['{"a":'], ['{"a":1']]) {
      const events = [text("So."), ...call(0, "{}"), ...call(1, ...pieces), finished("length")];
      const lines = await chatLines(...events);
      expect(lines.filter(({ message }) => "tool_calls" in message)).toHaveLength(1);
      expect(lines.at(-1)).toEqual(end("length"));
      expect((await wholeChat(...events)).message.tool_calls).toHaveLength(1);
    }
  });

  it("of /api/generate separate the text from the thinking", async () => {
    const events = choiceEvents([thought("Hm."), text("One"), finished()]);
    const lines = await parsed(toLines(events, origin, toGenerateFields));
    expect(lines.map(({ response, thinking }) => [response, thinking])).toEqual([
      ["", "Hm."],
      ["One", undefined],
      ["", undefined],
    ]);
  });

  it("contain log-probabilities along with the text", async () => {
    const scores = [
      {
        id: 1,
        bytes: [72, 105],
        logProbability: -0.5,
        top: [{ id: 1, bytes: [195], logProbability: Number.NEGATIVE_INFINITY }],
      },
      { id: 1, bytes: [33], logProbability: -1, top: [] },
    ];
    const logprobs = [
      {
        token: "Hi",
        logprob: -0.5,
        bytes: [72, 105],
        top_logprobs: [{ token: "\ufffd", logprob: -9999, bytes: [195] }],
      },
      { token: "!", logprob: -1, bytes: [33] },
    ];
    const events: GenerationEvent[] = [
      { type: "text-delta", text: "Hi!", scores, usage },
      finished(),
    ];
    expect((await chatLines(...events))[0]).toEqual({ ...piece({ content: "Hi!" }), logprobs });
    expect((await wholeChat(...events)).logprobs).toEqual(logprobs);
  });

  it("end with the error that stopped the generation", async () => {
    const error = new GgufdError("internal_error", "It broke.");
    const failing = toLines(
      choiceEvents([text("a"), { type: "failed", error }]),
      origin,
      toChatFields,
    );
    expect((await failing.next()).value).toMatchObject({ message: { content: "a" } });
    await expect(failing.next()).rejects.toBe(error);
    await expect(wholeChat(text("a"), { type: "failed", error })).rejects.toBe(error);
  });

  it("have no final line if the client disconnects", async () => {
    expect(await chatLines(text("a"), { type: "cancelled" })).toEqual([piece({ content: "a" })]);
  });
});

describe("a non-streamed response", () => {
  it("is the concatenation of the lines, for any chunk boundaries", async () => {
    const anyText = fc.string({ unit: "binary", minLength: 1, maxLength: 8 });
    const cut = fc.array(fc.nat({ max: 12 }), { maxLength: 6 });
    const part = fc.oneof(
      fc.record({ kind: fc.constant("text" as const), text: anyText }),
      fc.record({ kind: fc.constant("thinking" as const), text: anyText }),
      fc.record({ kind: fc.constant("call" as const), text: anyText }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), cut, async (parts, cuts) => {
        let calls = 0;
        const events = parts.flatMap(({ kind, text: written }) => {
          if (kind === "call") return call(calls++, ...pieces(JSON.stringify({ written }), cuts));
          return pieces(written, cuts).map(kind === "text" ? text : thought);
        });
        const lines = await chatLines(...events, finished());
        const whole = await wholeChat(...events, finished());
        const joined = (field: "content" | "thinking") =>
          lines.map(({ message }) => message[field] ?? "").join("");
        expect(joined("content")).toBe(whole.message.content);
        expect(joined("thinking")).toBe(whole.message.thinking ?? "");
        expect(lines.flatMap(({ message }) => message.tool_calls ?? [])).toEqual(
          whole.message.tool_calls ?? [],
        );
        expect({ ...lines.at(-1), message: whole.message }).toEqual(whole);
      }),
    );
  });
});

/** Splits a text into chunks of the given lengths, and the rest, without splitting surrogate pairs. */
function pieces(whole: string, lengths: readonly number[]): string[] {
  const characters = [...whole];
  const cut = lengths.map((length) => characters.splice(0, length).join(""));
  return [...cut, characters.join("")].filter((part) => part !== "");
}
