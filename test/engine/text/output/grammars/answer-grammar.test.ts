import { describe, expect, it } from "vitest";
import type {
  OutputConstraint,
  RequestedConstraint,
} from "../../../../../src/core/output-constraint.js";
import { REASONING_MARKS } from "../../../../../src/engine/text/output/conventions/reasoning-marks.js";
import {
  type AnswerDemands,
  buildAnswerGrammar,
} from "../../../../../src/engine/text/output/grammars/answer-grammar.js";
import { OutputParser } from "../../../../../src/engine/text/output/output-parser.js";
import type { OutputPiece } from "../../../../../src/engine/text/output/output-piece.js";
import type { OutputReading } from "../../../../../src/engine/text/output/output-reading.js";
import type { PreparedGrammar } from "../../../../../src/grammar/grammar-library.js";
import { GrammarEpoch, TokenGrammar } from "../../../../../src/grammar/token-grammar.js";
import { vocabularyOf } from "../../../../support/follow-grammar.js";
import { plainReading } from "../../../../support/plain-reading.js";

const CONTROL_TEXTS = ["</think>", "<|end|>", "<|channel|>", "<|message|>"];
const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));

const free: AnswerDemands = {
  prompt: { type: "chat", messages: [], tools: [], templateVariables: {} },
  stopping: { minTokens: 0, stop: [], ignoreEos: false },
};

type Reading = Pick<OutputReading, "beginsWith" | "reasoning"> &
  Partial<Pick<OutputReading, "convention" | "toolCalls">>;

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
  return buildAnswerGrammar({ ...free, constraint }, whole, (text) => controlTexts.includes(text));
}

/** The grammar of an answer of `yes`, and its vocabulary. */
function open(reading: Reading, controlTexts: readonly string[]) {
  const prepared = prepare(reading, yes, controlTexts);
  if (prepared === undefined) throw new Error("no grammar");
  const vocabulary = vocabularyOf(bytes, controlTexts);
  return [
    new TokenGrammar(JSON.parse(prepared.json), new GrammarEpoch(vocabulary)),
    vocabulary,
  ] as const;
}

/** Whether an answer is complete; `undefined` if it is not allowed. */
function follow(
  reading: Reading,
  pieces: readonly OutputPiece[],
  controlTexts: readonly string[] = CONTROL_TEXTS,
) {
  const [grammar, vocabulary] = open(reading, controlTexts);
  let state: TokenGrammar["start"] | undefined = grammar.start;
  for (const piece of pieces) {
    if (state === undefined) return undefined;
    const token = piece.type === "control-token" && vocabulary.controlTokens.get(piece.text);
    state =
      typeof token === "number"
        ? grammar.advanceByToken(state, token)
        : grammar.advanceByBytes(state, Buffer.from(piece.text));
  }
  return state && grammar.mustEnd(state);
}

const text = (content: string): OutputPiece => ({ type: "text", text: content });
const control = (name: string): OutputPiece => ({ type: "control-token", text: name });

describe("the grammar of an answer", () => {
  it("is absent without a constraint", () => {
    const reading = { ...plainReading, beginsWith: "reasoning" } as const;
    expect(buildAnswerGrammar(free, reading, () => false)).toBeUndefined();
  });

  it.each(["anything", "text"] as const)(
    "equals the grammar of the constraint if the answer begins with %s",
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
    ["the text of another reasoning format", "thinking", CONTROL_TEXTS, [text("</thinking>")]],
    ["a control token of harmony", "analysis-channel", CONTROL_TEXTS, [control("<|end|>")]],
  ])(
    "begins with the reasoning opened by the prompt, up to %s",
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

  it("ends reasoning only with a control token, and excludes the token's name as text", () => {
    const reading = { beginsWith: "reasoning", reasoning: "think" } as const;
    expect(follow(reading, [text("</think>")])).toBeUndefined();
    expect(follow(reading, [text("</thin"), control("</think>"), text("yes")])).toBe(true);
  });

  describe("if the model may open reasoning", () => {
    const own = (reasoning: OutputReading["reasoning"]): Reading => ({
      beginsWith: "optional-reasoning",
      reasoning,
    });

    it.each<
      [
        OutputReading["reasoning"],
        readonly string[],
        readonly OutputPiece[],
        readonly OutputPiece[],
      ]
    >([
      ["think", ["<think>", "</think>"], [control("<think>")], [control("</think>")]],
      ["think", [], [text("<think>")], [text("</think>")]],
      ["seed-think", CONTROL_TEXTS, [text("<seed:think>")], [text("</seed:think>")]],
      ["think-brackets", ["[THINK]"], [control("[THINK]")], [text("[/THINK]")]],
      [
        "think-section",
        ["<|open|>", "<|sep|>", "<|close|>"],
        [control("<|open|>"), text("think"), control("<|sep|>")],
        [control("<|close|>"), text("think"), control("<|sep|>")],
      ],
    ])("is the constraint, optionally preceded by complete reasoning (%s)", (...written) => {
      const [reasoning, controlTexts, open, close] = written;
      const reading = own(reasoning);
      const thought = [...open, text('\nHm, "no" or {yes}\n'), ...close];
      expect(follow(reading, [text("yes")], controlTexts)).toBe(true);
      expect(follow(reading, [...thought, text("yes")], controlTexts)).toBe(true);
      expect(follow(reading, [...thought, text("\n\nyes")], controlTexts)).toBe(true);
      expect(follow(reading, [...open, ...close, text("yes")], controlTexts)).toBe(true);
      expect(follow(reading, [...thought, text("no")], controlTexts)).toBeUndefined();
      expect(follow(reading, [...thought, ...thought], controlTexts)).toBeUndefined();
      expect(follow(reading, [...open, text("yes")], controlTexts)).toBe(false);
      expect(follow(reading, [text("no")], controlTexts)).toBeUndefined();
    });

    it("forces neither reasoning nor the answer until one of them has begun", () => {
      for (const marks of [["<think>", "</think>"], []]) {
        const [grammar, vocabulary] = open(own("think"), marks);
        expect(grammar.computeForcedBytes(grammar.start, 10)).toHaveLength(0);
        const begun = grammar.advanceByBytes(grammar.start, Buffer.from("y"));
        expect(begun && Buffer.from(grammar.computeForcedBytes(begun, 10)).toString()).toBe("es");
        const token = vocabulary.controlTokens.get("<think>");
        const thinking =
          token === undefined
            ? grammar.advanceByBytes(grammar.start, Buffer.from("<think>"))
            : grammar.advanceByToken(grammar.start, token);
        expect(thinking && grammar.computeForcedBytes(thinking, 10)).toHaveLength(0);
      }
    });

    it("is only the constraint with a budget of 0", () => {
      const demands = { ...free, constraint: yes, reasoningBudget: { maxTokens: 0 } };
      const reading = { ...plainReading, ...own("think") };
      const none = buildAnswerGrammar(demands, reading, () => false);
      const plain = buildAnswerGrammar(
        demands,
        { ...reading, beginsWith: "anything" },
        () => false,
      );
      expect(none?.key).toBe(plain?.key);
      const some = { ...demands, reasoningBudget: { maxTokens: 1 } };
      expect(buildAnswerGrammar(some, reading, () => false)?.key).not.toBe(plain?.key);
    });

    it("contains no call within reasoning if calls end the reasoning", () => {
      const reading = { ...own("think"), convention: "kimi-k2", toolCalls: "parsed" } as const;
      const opened = [text("<think>so <|tool_call_begin|>")];
      expect(follow(reading, opened, [])).toBeUndefined();
      expect(follow({ ...reading, toolCalls: "ignored" }, opened, [])).toBe(false);
    });
  });

  it.each<[OutputReading["convention"], OutputReading["reasoning"], readonly OutputPiece[]]>([
    ["command-r7b", "start-thinking", [text("<|START_RESPONSE|>")]],
    ["muse-glimmer", "self-message", [text("<|start|>assistant to=user<|message|>")]],
    ["solar", "think-message", [text("<|begin|>assistant<|content|>")]],
  ])("includes the header that %s writes before text, also after reasoning", (...written) => {
    const [convention, reasoning, header] = written;
    const reading = { convention, reasoning, beginsWith: "reasoning" } as const;
    const { close } = REASONING_MARKS[reasoning];
    expect(follow(reading, [text("Hm"), text(close), ...header, text("yes")], [])).toBe(true);
    expect(follow({ ...reading, beginsWith: "anything" }, [...header, text("yes")], [])).toBe(true);
    expect(follow({ ...reading, beginsWith: "anything" }, [text("yes")], [])).toBe(true);
    expect(
      follow({ ...reading, beginsWith: "text" }, [...header, text("yes")], []),
    ).toBeUndefined();
  });

  describe("of gpt-oss", () => {
    const harmony = (beginsWith: OutputReading["beginsWith"]): Reading => ({
      convention: "gpt-oss",
      reasoning: "analysis-channel",
      beginsWith,
    });
    const final = text("<|channel|>final<|message|>yes");
    const analysis = text("<|channel|>analysis<|message|>Hm<|end|><|start|>assistant");

    it("begins with analysis, or with the final message", () => {
      expect(follow(harmony("optional-reasoning"), [final], [])).toBe(true);
      expect(follow(harmony("optional-reasoning"), [analysis, final], [])).toBe(true);
    });

    it("continues the analysis opened by the prompt, followed by a message", () => {
      const rest = text("Hm<|end|><|start|>assistant");
      expect(follow(harmony("reasoning"), [rest, final], [])).toBe(true);
      expect(follow(harmony("reasoning"), [text("Hm<|end|>yes")], [])).toBeUndefined();
    });

    it("has no header if the answer continues existing text", () => {
      expect(follow(harmony("text"), [text("yes")], [])).toBe(true);
      expect(follow(harmony("text"), [final], [])).toBeUndefined();
    });
  });

  it("is parsed as reasoning and the constrained text", () => {
    const parser = new OutputParser({ ...plainReading, beginsWith: "reasoning" });
    const parts = [text("Hm</think>\n\n"), text("yes")].flatMap((piece) => parser.push(piece));
    expect([...parts, ...parser.flush()]).toMatchObject([
      { type: "reasoning", text: "Hm" },
      { type: "text", text: "yes" },
    ]);
  });

  it("has a key shared only by equal grammars", () => {
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
