import fc from "fast-check";
import { expect, it } from "vitest";
import {
  computePromptOffsets,
  TextOffsets,
} from "../../../../src/api/openai/completions/text-offsets.js";
import type { TokenText } from "../../../../src/core/generation-event.js";

const text = (value: string): TokenText => ({ id: 1, bytes: [...Buffer.from(value)] });
const control = (controlText: string): TokenText => ({ id: 1, bytes: [], controlText });
const bytes = (...values: readonly number[]): TokenText => ({ id: 1, bytes: values });

it.each<[what: string, tokens: readonly TokenText[], echo: string, offsets: readonly number[]]>([
  ["texts", [text("The"), text(" cat"), text(".")], "The cat.", [0, 3, 7]],
  ["an added BOS", [control("<s>"), text("The"), text(" cat")], "The cat", [0, 0, 3]],
  [
    "a BOS that the prompt contains",
    [control("<s>"), text("The"), text(" cat")],
    "<s>The cat",
    [0, 3, 6],
  ],
  [
    "an added BOS and another one in the prompt",
    [control("<s>"), text("a"), control("<s>"), text("b")],
    "a<s>b",
    [0, 0, 1, 4],
  ],
  ["an added EOS", [text("The"), text(" cat"), control("</s>")], "The cat", [0, 3, 7]],
  [
    "text after the space that SentencePiece prepends",
    [control("<s>"), text(" The"), text(" cat")],
    "The cat",
    [0, 0, 3],
  ],
  [
    "tokens that split a character",
    [bytes(0xf0, 0x9f), bytes(0x99, 0x82), text("é"), text("!")],
    "🙂é!",
    [0, 0, 1, 2],
  ],
  ["an unknown token", [text("a"), bytes(), text("c")], "a☃c", [0, 1, 2]],
  ["tokens without text at the end", [text("a"), bytes()], "a", [0, 1]],
  ["bytes that are not UTF-8", [bytes(0xff), text("ab"), text("c")], "\ufffdabc", [0, 1, 3]],
])("promptOffsets returns the text offsets of %s", (_, tokens, echo, offsets) => {
  expect(computePromptOffsets(tokens, echo)).toEqual(offsets);
});

it("promptOffsets returns the same offsets as TextOffsets, for any token boundaries", () => {
  const cuts = fc.array(fc.nat(200), { maxLength: 20 });
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", " ", "é", "☃", "🙂", "\ufeff") }),
      cuts,
      (echo, places) => {
        const whole = Buffer.from(echo);
        const ends = [...new Set([...places, whole.length])].filter((end) => end <= whole.length);
        const ascending = ends.toSorted((a, b) => a - b);
        const tokens = ascending.map((end, index) =>
          bytes(...whole.subarray(ascending[index - 1] ?? 0, end)),
        );
        const counted = new TextOffsets(0);
        expect(computePromptOffsets(tokens, whole.toString())).toEqual(
          tokens.map((token) => counted.next(token)),
        );
      },
    ),
  );
});
