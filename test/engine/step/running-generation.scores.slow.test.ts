import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation-event.js";
import type { StoppingParameters } from "../../../src/core/generation-request.js";
import { createEmptyIdentity } from "../../../src/engine/cache/prompt-identity.js";
import type { LogProbabilities } from "../../../src/engine/native/token-context.js";
import { RunningGeneration } from "../../../src/engine/step/running-generation.js";
import { GeneratedText } from "../../../src/engine/text/output/generated-text.js";
import { OutputParser } from "../../../src/engine/text/output/output-parser.js";
import type { OutputReading } from "../../../src/engine/text/output/output-reading.js";
import { ByteVocabulary, decode, encode } from "../text/output/byte-vocabulary.js";
import { allForms, tools } from "../text/output/conventions/forms.js";
import { parsing } from "../text/output/read-output.js";
import { splitAt } from "../text/output/split-at.js";
import { noSampler } from "./no-sampler.js";

interface Output {
  readonly tokens: readonly (string | Uint8Array)[];
  readonly reading?: Partial<OutputReading>;
  readonly stopping?: Partial<StoppingParameters>;
  readonly top?: number | "not-asked-for";
}

/** The events of a generation that outputs these tokens, the nth with a log-probability of −n. */
function generate({ tokens, reading = {}, stopping = {}, top = 0 }: Output) {
  const vocabulary = new ByteVocabulary();
  const end = vocabulary.token([]);
  const { bytesOf } = vocabulary;
  const wholeReading = parsing(reading);
  const wholeStopping = { minTokens: 0, stop: [], ignoreEos: false, ...stopping };
  const events: GenerationEvent[] = [];
  const generation = new RunningGeneration({
    prepared: {
      id: "g",
      promptTokens: [0],
      reading: wholeReading,
      maxTokens: 1000,
      sampling: {},
      stopping: wholeStopping,
      ...(top !== "not-asked-for" && { topLogProbabilities: top }),
    },
    emit: (event) => events.push(event),
    lease: { number: 1, sequenceId: 0, contents: createEmptyIdentity(), partialMediaCells: 0 },
    admissionOrder: 1,
    reportableTokens: 0,
    createSampler: noSampler,
    text: new GeneratedText({ bytesOf, controlTextOf: () => undefined, ...wholeStopping }),
    parser: new OutputParser(wholeReading),
    endOfGeneration: new Set([end]),
    now: () => 0,
  });
  const ids = tokens.map((text) =>
    vocabulary.token(typeof text === "string" ? encode(text) : text),
  );
  for (const [index, token] of [...ids, end].entries()) {
    const ending = generation.accept(token, probabilities(index, token, top));
    const reason = generation.settle() ?? ending;
    if (reason === undefined) continue;
    generation.finish(reason);
    break;
  }
  return events;
}

function probabilities(
  index: number,
  token: number,
  top: number | "not-asked-for",
): LogProbabilities | undefined {
  if (top === "not-asked-for") return undefined;
  const others = Array.from({ length: top }, () => ({ token, logProbability: -index }));
  return { logProbability: -index, top: others };
}

/** The reported tokens, as index in the output and text. */
function reported(events: readonly GenerationEvent[]): [index: number, text: string][] {
  return events.flatMap((event) =>
    event.type === "text-delta"
      ? (event.scores ?? []).map(({ logProbability, bytes }): [number, string] => [
          Math.abs(logProbability),
          decode(bytes),
        ])
      : [],
  );
}

function expectScoresToBeTheText(events: readonly GenerationEvent[]): void {
  for (const event of events) {
    if (event.type !== "text-delta") continue;
    expect(decode(event.scores?.flatMap(({ bytes }) => bytes) ?? [])).toBe(event.text);
  }
}

const anyCuts = fc.array(fc.nat(100), { maxLength: 40 });

describe("the log-probabilities of a generation", () => {
  it("are emitted with the text of their tokens and the most probable alternatives", () => {
    const events = generate({ tokens: ["So", " be", " it"], top: 2 });
    expect(reported(events)).toEqual([
      [0, "So"],
      [1, " be"],
      [2, " it"],
    ]);
    const [first] = events;
    expect(first).toMatchObject({
      scores: [{ top: [{ bytes: [...encode("So")] }, { bytes: [...encode("So")] }] }],
    });
  });

  it("are absent unless requested", () => {
    const [delta] = generate({ tokens: ["So"], top: "not-asked-for" });
    expect(delta).toMatchObject({ type: "text-delta", text: "So" });
    expect(delta).not.toHaveProperty("scores");
  });

  it("are emitted with the character that their tokens complete", () => {
    const euro = splitAt(encode("€"), [1, 2]);
    const events = generate({ tokens: ["5 ", ...euro] });
    const deltas = events.filter((event) => event.type === "text-delta");
    expect(deltas.map(({ scores = [] }) => scores.map(({ bytes }) => bytes))).toEqual([
      [[...encode("5")]],
      [[0x20], [0xe2], [0x82], [0xac]],
    ]);
  });

  it("end where a stop string begins, even within a token", () => {
    const events = generate({
      tokens: ["It is", " done.\n", "\nUser"],
      stopping: { stop: ["\n\n"] },
    });
    expect(reported(events)).toEqual([
      [0, "It is"],
      [1, " done."],
    ]);
  });

  it("exclude reasoning and tool calls", () => {
    const events = generate({
      tokens: [
        ...["<think>", "Yes", "?", "</think>", "\n\n", "Yes", "."],
        ...["\n<tool_call>", '{"name": "f", "arguments": {"a"', ': "Yes"}', "}</tool_call>"],
      ],
    });
    expect(reported(events)).toEqual([
      [5, "Yes"],
      [6, "."],
    ]);
  });

  it("match the content even if marks, arguments or names have the same text", () => {
    const closing = generate({ tokens: ["<think>", "Hm", "</", "think", ">", "think", "!"] });
    expect(reported(closing)).toEqual([
      [5, "think"],
      [6, "!"],
    ]);
    const call = '{"name": "f", "arguments": {}}';
    const called = generate({ tokens: ["<tool_call>", call, "</", "tool", "_call>", "tool", "s"] });
    expect(reported(called)).toEqual([
      [5, "tool"],
      [6, "s"],
    ]);
    const opening = generate({ tokens: ["<", "think", ">", "</think>", "think"] });
    expect(reported(opening)).toEqual([[4, "think"]]);
  });

  it("match the text after a call, not its arguments", () => {
    const events = generate({
      tokens: ['<tool_call>{"name": "f", "arguments": ', '{"a": "So"}', "}</tool_call>", "So", "!"],
    });
    expect(reported(events)).toEqual([
      [3, "So"],
      [4, "!"],
    ]);
  });

  it("include a call that cannot be parsed, as text", () => {
    const tokens = ["<tool", "_call>", "no call"];
    expect(reported(generate({ tokens }))).toEqual(tokens.map((text, index) => [index, text]));
  });

  it("decode to the text in every convention, for any tokenisation of the output", () => {
    const outputs = allForms.flatMap(({ convention, reasoning = "think", forms }) =>
      forms.map(({ output, reading }) => ({
        output,
        reading: { convention, reasoning, tools, ...reading },
      })),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...outputs),
        fc.string({ unit: "binary", maxLength: 5 }),
        anyCuts,
        ({ output, reading }, more, cuts) => {
          const tokens = splitAt(encode(output + more), cuts);
          expectScoresToBeTheText(generate({ tokens, reading }));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("match the text, for any held-back or removed stop strings", () => {
    const word = fc.constantFrom("a", "ab", "é", "😀", "\n", "<think>", "</think>", "<");
    const words = (maxLength: number) =>
      fc.array(word, { minLength: 1, maxLength }).map((all) => all.join(""));
    fc.assert(
      fc.property(
        words(20),
        fc.array(words(3), { maxLength: 3 }),
        anyCuts,
        (output, stop, cuts) => {
          const tokens = splitAt(encode(output), cuts);
          expectScoresToBeTheText(generate({ tokens, stopping: { stop } }));
        },
      ),
      { numRuns: 500 },
    );
  });
});
