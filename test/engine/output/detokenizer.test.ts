import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Detokenizer } from "../../../src/engine/output/detokenizer.js";
import { ByteVocabulary, decode, encode, openBytes } from "./byte-vocabulary.js";
import { cutInto } from "./cuts.js";

const EURO = [...encode("€")];

/** Text of each push and of the flush at the end. */
function stream(pieces: readonly (Uint8Array | readonly number[])[]) {
  const vocabulary = new ByteVocabulary();
  const detokenizer = new Detokenizer(vocabulary.bytesOf);
  const pushed = pieces.map((bytes) => detokenizer.push(vocabulary.token(bytes)));
  return { pushed, rest: detokenizer.flush() };
}

const shortText = fc.string({ unit: "binary", maxLength: 10 });
const cuts = fc.array(fc.nat(40));

describe("Detokenizer", () => {
  test("gives exactly the text, however its bytes are cut into tokens", () => {
    fc.assert(
      fc.property(shortText, cuts, (text, positions) => {
        const { pushed, rest } = stream(cutInto(encode(text), positions));
        expect(pushed.join("") + rest).toBe(text);
      }),
    );
  });

  test("gives every character with its last byte, not earlier and not later", () => {
    fc.assert(
      fc.property(shortText, cuts, (text, positions) => {
        const pieces = cutInto(encode(text), positions);
        const { pushed, rest } = stream(pieces);
        pieces.forEach((_, index) => {
          const bytes = Uint8Array.from(pieces.slice(0, index + 1).flatMap((piece) => [...piece]));
          const complete = decode(bytes.slice(0, bytes.length - openBytes(bytes)));
          expect(pushed.slice(0, index + 1).join("")).toBe(complete);
        });
        expect(rest).toBe("");
      }),
    );
  });

  test("gives U+FFFD for bytes that are no text, as TextDecoder does", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 31 }), cuts, (bytes, positions) => {
        const { pushed, rest } = stream(cutInto(bytes, positions));
        expect(pushed.join("") + rest).toBe(decode(bytes));
      }),
    );
  });

  test.each<{ pieces: number[][]; shown: string[]; rest: string }>([
    { pieces: EURO.map((byte) => [byte]), shown: ["", "", "€"], rest: "" },
    { pieces: [EURO.slice(0, 2)], shown: [""], rest: "\uFFFD" },
    { pieces: [[0xe2], [0x41]], shown: ["", "\uFFFDA"], rest: "" },
    {
      pieces: [
        [0x41, 0xe2, 0x82],
        [0xac, 0x42],
      ],
      shown: ["A", "€B"],
      rest: "",
    },
    { pieces: [[0x41, 0xf0], [0x9f, 0x98], [0x80]], shown: ["A", "", "😀"], rest: "" },
    {
      pieces: [[0x80], [0x80], [0x80], [0x80]],
      shown: ["\uFFFD", "\uFFFD", "\uFFFD", "\uFFFD"],
      rest: "",
    },
    { pieces: [[], [0x41], []], shown: ["", "A", ""], rest: "" },
  ])("$pieces gives $shown, at the end $rest", ({ pieces, shown, rest }) => {
    const outcome = stream(pieces);
    expect(outcome.pushed).toEqual(shown);
    expect(outcome.rest).toBe(rest);
  });

  test("gives every character of a long text whose every token ends inside one", () => {
    const bytes = encode("€".repeat(100));
    const positions = Array.from({ length: 100 }, (_, index) => index * 3 + 2);
    const { pushed, rest } = stream(cutInto(bytes, positions));
    expect(pushed).toEqual(["", ...Array.from({ length: 100 }, () => "€")]);
    expect(rest).toBe("");
  });

  test("gives a long text, however its bytes are cut into tokens", () => {
    const text = fc.string({ unit: "binary", minLength: 60, maxLength: 120 });
    const tokenLengths = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 500 });
    fc.assert(
      fc.property(text, tokenLengths, (long, lengths) => {
        let end = 0;
        const positions = lengths.map((length) => (end += length));
        const { pushed, rest } = stream(cutInto(encode(long), positions));
        expect(pushed.join("") + rest).toBe(long);
      }),
      { numRuns: 30 },
    );
  });

  test("flushes once", () => {
    const vocabulary = new ByteVocabulary();
    const detokenizer = new Detokenizer(vocabulary.bytesOf);
    detokenizer.push(vocabulary.token([0xe2]));
    expect([detokenizer.flush(), detokenizer.flush()]).toEqual(["\uFFFD", ""]);
    expect(detokenizer.push(vocabulary.token([0x41]))).toBe("A");
  });
});
