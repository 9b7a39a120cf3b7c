import { describe, expect, it } from "vitest";
import type { OutputReading, PreparedGrammar } from "../../src/core/generation-request.js";
import type { OutputConstraint, RequestedConstraint } from "../../src/core/output-constraint.js";
import { type AnswerDemands, answerGrammar } from "../../src/engine/answer-grammar.js";
import { GrammarEpoch, TokenGrammar } from "../../src/engine/grammar/token-grammar.js";
import { OutputParser } from "../../src/engine/output/output-parser.js";
import type { OutputPiece } from "../../src/engine/output/output-piece.js";
import { vocabularyOf } from "../support/follow-grammar.js";
import { plainReading } from "../support/plain-reading.js";

const CONTROL_TEXTS = ["</think>", "<|end|>", "<|channel|>", "<|message|>"];
const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
const withControl = vocabularyOf(bytes, CONTROL_TEXTS);
const withoutControl = vocabularyOf(bytes);

const free: AnswerDemands = {
  prompt: { messages: [], tools: [], templateVariables: {} },
  stopping: { minTokens: 0, stop: [], ignoreEos: false },
};

type Reading = Pick<OutputReading, "beginsWith" | "reasoning">;

const requested = (constraint: OutputConstraint): RequestedConstraint => ({
  constraint,
  field: "f",
});

const yes = requested({ type: "choice", options: ["yes"] });

function prepare(
  reading: Reading,
  constraint: RequestedConstraint | undefined = yes,
  controlTexts: readonly string[] = CONTROL_TEXTS,
): PreparedGrammar | undefined {
  const whole: OutputReading = { ...plainReading, ...reading };
  return answerGrammar({ ...free, constraint }, whole, (text) => controlTexts.includes(text));
}

/** Whether an answer is complete; `undefined`: it is not allowed. */
function follow(
  reading: Reading,
  pieces: readonly OutputPiece[],
  controlTexts: readonly string[] = CONTROL_TEXTS,
) {
  const prepared = prepare(reading, yes, controlTexts);
  if (prepared === undefined) throw new Error("no grammar");
  const vocabulary = controlTexts.length > 0 ? withControl : withoutControl;
  const grammar = new TokenGrammar(prepared.grammar, new GrammarEpoch(vocabulary));
  let state: TokenGrammar["start"] | undefined = grammar.start;
  for (const piece of pieces) {
    if (state === undefined) return undefined;
    const token = piece.type === "control-token" && vocabulary.controlTokens.get(piece.text);
    state =
      typeof token === "number"
        ? grammar.after(state, token)
        : grammar.afterBytes(state, Buffer.from(piece.text));
  }
  return state && grammar.mustEnd(state);
}

const text = (content: string): OutputPiece => ({ type: "text", text: content });
const control = (name: string): OutputPiece => ({ type: "control-token", text: name });

describe("the grammar of an answer", () => {
  it("is absent without a constraint", () => {
    const reading = { ...plainReading, beginsWith: "reasoning" } as const;
    expect(answerGrammar(free, reading, () => false)).toBeUndefined();
  });

  it.each(["anything", "text"] as const)(
    "is that of its constraint where it begins with %s",
    (beginsWith) => {
      const reading = { beginsWith, reasoning: "think" } as const;
      expect(follow(reading, [text("yes")])).toBe(true);
      expect(follow(reading, [text("<think>")])).toBeUndefined();
      expect(follow(reading, [control("</think>")])).toBeUndefined();
      expect(follow(reading, [text(" yes")])).toBeUndefined();
    },
  );

  it.each<[string, OutputReading["reasoning"], readonly string[], readonly OutputPiece[]]>([
    ["a control token", "think", CONTROL_TEXTS, [control("</think>")]],
    ["a text", "think", [], [text("</think>")]],
    ["another text", "thinking", CONTROL_TEXTS, [text("</thinking>")]],
    ["a token of harmony", "analysis-channel", CONTROL_TEXTS, [control("<|end|>")]],
  ])(
    "begins with the reasoning that the prompt has opened, up to %s",
    (_, reasoning, controlTexts, close) => {
      const reading = { beginsWith: "reasoning", reasoning } as const;
      const thought = text('Hm, "no" or {yes}\n');
      expect(follow(reading, [thought, ...close, text("yes")], controlTexts)).toBe(true);
      expect(follow(reading, [...close, text("\n\nyes")], controlTexts)).toBe(true);
      expect(follow(reading, [...close, text("\n\n\n")], controlTexts)).toBeUndefined();
      expect(follow(reading, [...close, text("no")], controlTexts)).toBeUndefined();
      expect(follow(reading, [thought, text("yes")], controlTexts)).toBe(false);
    },
  );

  it("leaves the mark of reasoning within it to the model where it is a control token", () => {
    const reading = { beginsWith: "reasoning", reasoning: "think" } as const;
    expect(follow(reading, [text("</think>yes"), control("</think>"), text("yes")])).toBe(true);
  });

  it("is read as reasoning and its constraint's text", () => {
    const parser = new OutputParser({ ...plainReading, beginsWith: "reasoning" });
    const parts = [text("Hm</think>\n\n"), text("yes")].flatMap((piece) => parser.push(piece));
    expect([...parts, ...parser.flush()]).toEqual([
      { type: "reasoning", text: "Hm" },
      { type: "text", text: "yes" },
    ]);
  });

  it("has a key that equal grammars share, and others do not", () => {
    const plain = { beginsWith: "anything", reasoning: "think" } as const;
    const open = { beginsWith: "reasoning", reasoning: "think" } as const;
    const other = requested({ type: "choice", options: ["no"] });
    const key = prepare(plain)?.key;
    expect(prepare(plain, { ...yes, field: "another" })?.key).toBe(key);
    expect(new Set([key, prepare(open)?.key, prepare(plain, other)?.key]).size).toBe(3);
  });

  it("is plain data", () => {
    const schema = { type: "object", properties: { a: { type: "string", pattern: "^b+$" } } };
    const constraint = requested({ type: "json-schema", schema });
    const prepared = prepare({ beginsWith: "reasoning", reasoning: "think" }, constraint);
    expect(structuredClone(prepared)).toEqual(prepared);
    expect(JSON.parse(JSON.stringify(prepared))).toEqual(prepared);
  });
});
