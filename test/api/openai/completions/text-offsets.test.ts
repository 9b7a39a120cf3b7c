import fc from "fast-check";
import { expect, it } from "vitest";
import { promptOffsets, TextOffsets } from "../../../../src/api/openai/completions/text-offsets.js";
import type { TokenText } from "../../../../src/core/generation-event.js";

const text = (value: string): TokenText => ({ id: 1, bytes: [...Buffer.from(value)] });
const control = (controlText: string): TokenText => ({ id: 1, bytes: [], controlText });
const bytes = (...values: readonly number[]): TokenText => ({ id: 1, bytes: values });

it.each<[what: string, tokens: readonly TokenText[], echo: string, offsets: readonly number[]]>([
  ["texts", [text("The"), text(" cat"), text(".")], "The cat.", [0, 3, 7]],
  ["a BOS that was added", [control("<s>"), text("The"), text(" cat")], "The cat", [0, 0, 3]],
  ["a BOS of the prompt", [control("<s>"), text("The"), text(" cat")], "<s>The cat", [0, 3, 6]],
  [
    "a BOS that was added to a prompt that names it later",
    [control("<s>"), text("a"), control("<s>"), text("b")],
    "a<s>b",
    [0, 0, 1, 4],
  ],
  ["an EOS that was added", [text("The"), text(" cat"), control("</s>")], "The cat", [0, 3, 7]],
  [
    "the space that SentencePiece puts before a text",
    [control("<s>"), text(" The"), text(" cat")],
    "The cat",
    [0, 0, 3],
  ],
  [
    "parts of a character",
    [bytes(0xf0, 0x9f), bytes(0x99, 0x82), text("é"), text("!")],
    "🙂é!",
    [0, 0, 1, 2],
  ],
  ["a token that stands for an unknown text", [text("a"), bytes(), text("c")], "a☃c", [0, 1, 2]],
  ["tokens of no text at the end", [text("a"), bytes()], "a", [0, 1]],
  ["bytes that are no text", [bytes(0xff), text("ab"), text("c")], "\ufffdabc", [0, 1, 3]],
])("finds the offsets of %s", (_, tokens, echo, offsets) => {
  expect(promptOffsets(tokens, echo)).toEqual(offsets);
});

it("agrees with counting, however a text is cut into tokens", () => {
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
        expect(promptOffsets(tokens, whole.toString())).toEqual(
          tokens.map((token) => counted.next(token)),
        );
      },
    ),
  );
});
