import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Detokenizer } from "../../../../src/engine/text/output/generated-text.js";
import { ByteVocabulary, decode, encode, incompleteBytes } from "./byte-vocabulary.js";
import { splitAt } from "./split-at.js";

const EURO = [...encode("€")];

/** The text of each push and of the final flush. */
function stream(chunks: readonly (Uint8Array | readonly number[])[]) {
  const vocabulary = new ByteVocabulary();
  const detokenizer = new Detokenizer(vocabulary.bytesOf);
  const pushed = chunks.map((bytes) => detokenizer.push(vocabulary.token(bytes)));
  return { pushed, flushed: detokenizer.flush() };
}

const shortText = fc.string({ unit: "binary", maxLength: 10 });
const splitPositions = fc.array(fc.nat(40));

describe("Detokenizer", () => {
  test("returns exactly the text, for any split of its bytes into tokens", () => {
    fc.assert(
      fc.property(shortText, splitPositions, (text, positions) => {
        const { pushed, flushed } = stream(splitAt(encode(text), positions));
        expect(pushed.join("") + flushed).toBe(text);
      }),
    );
  });

  test("returns every character exactly when its last byte arrives", () => {
    fc.assert(
      fc.property(shortText, splitPositions, (text, positions) => {
        const chunks = splitAt(encode(text), positions);
        const { pushed, flushed } = stream(chunks);
        chunks.forEach((_, index) => {
          const bytes = Uint8Array.from(chunks.slice(0, index + 1).flatMap((chunk) => [...chunk]));
          const complete = decode(bytes.slice(0, bytes.length - incompleteBytes(bytes)));
          expect(pushed.slice(0, index + 1).join("")).toBe(complete);
        });
        expect(flushed).toBe("");
      }),
    );
  });

  test("returns U+FFFD for invalid bytes, like TextDecoder", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 31 }), splitPositions, (bytes, positions) => {
        const { pushed, flushed } = stream(splitAt(bytes, positions));
        expect(pushed.join("") + flushed).toBe(decode(bytes));
      }),
    );
  });

  test.each<{ chunks: number[][]; emitted: string[]; flushed: string }>([
    { chunks: EURO.map((byte) => [byte]), emitted: ["", "", "€"], flushed: "" },
    { chunks: [EURO.slice(0, 2)], emitted: [""], flushed: "\uFFFD" },
    { chunks: [[0xe2], [0x41]], emitted: ["", "\uFFFDA"], flushed: "" },
    {
      chunks: [
        [0x41, 0xe2, 0x82],
        [0xac, 0x42],
      ],
      emitted: ["A", "€B"],
      flushed: "",
    },
    { chunks: [[0x41, 0xf0], [0x9f, 0x98], [0x80]], emitted: ["A", "", "😀"], flushed: "" },
    {
      chunks: [[0x80], [0x80], [0x80], [0x80]],
      emitted: ["\uFFFD", "\uFFFD", "\uFFFD", "\uFFFD"],
      flushed: "",
    },
    { chunks: [[], [0x41], []], emitted: ["", "A", ""], flushed: "" },
  ])("emits $emitted for $chunks, then flushes $flushed", ({ chunks, emitted, flushed }) => {
    const outcome = stream(chunks);
    expect(outcome.pushed).toEqual(emitted);
    expect(outcome.flushed).toBe(flushed);
  });

  test("returns every character of a long text in which every token ends inside a character", () => {
    const bytes = encode("€".repeat(100));
    const positions = Array.from({ length: 100 }, (_, index) => index * 3 + 2);
    const { pushed, flushed } = stream(splitAt(bytes, positions));
    expect(pushed).toEqual(["", ...Array.from({ length: 100 }, () => "€")]);
    expect(flushed).toBe("");
  });

  test("returns a long text, for any split of its bytes into tokens", () => {
    const text = fc.string({ unit: "binary", minLength: 60, maxLength: 120 });
    const tokenLengths = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 500 });
    fc.assert(
      fc.property(text, tokenLengths, (long, lengths) => {
        let end = 0;
        const positions = lengths.map((length) => (end += length));
        const { pushed, flushed } = stream(splitAt(encode(long), positions));
        expect(pushed.join("") + flushed).toBe(long);
      }),
      { numRuns: 30 },
    );
  });

  test("flushes only once", () => {
    const vocabulary = new ByteVocabulary();
    const detokenizer = new Detokenizer(vocabulary.bytesOf);
    detokenizer.push(vocabulary.token([0xe2]));
    expect([detokenizer.flush(), detokenizer.flush()]).toEqual(["\uFFFD", ""]);
    expect(detokenizer.push(vocabulary.token([0x41]))).toBe("A");
  });
});
