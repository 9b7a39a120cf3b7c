import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PromptLookup } from "../../../src/engine/speculation/prompt-lookup.js";

const letters = (text: string) => [...text].map((letter) => letter.charCodeAt(0));
const proposed = (text: string, most = 4) =>
  String.fromCharCode(...new PromptLookup(letters(text)).propose(most));

describe("prompt lookup", () => {
  test.each([
    { text: "", says: "" },
    { text: "abc", says: "" },
    { text: "abcdefgh", says: "" },
    { text: "abcdefgh abc", says: "defg" },
    { text: "abcX abcY abc", says: "Y ab" },
    { text: "abcabc", says: "abc" },
    { text: "aaaa", says: "a" },
    { text: "bcdefgh cd bc", says: "" },
  ])("after $text proposes $says", ({ text, says }) => {
    expect(proposed(text)).toBe(says);
  });

  test("goes with the text", () => {
    const text = letters("one two three. one");
    const lookup = new PromptLookup(text);
    expect(String.fromCharCode(...lookup.propose(4))).toBe(" two");
    text.push(...letters(" two"));
    expect(String.fromCharCode(...lookup.propose(6))).toBe(" three");
  });

  test("proposes only what followed the same three tokens the last time", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(2), { maxLength: 60 }),
        fc.array(fc.nat(2), { maxLength: 20 }),
        fc.integer({ min: 1, max: 8 }),
        (prompt, later, most) => {
          const text = [...prompt];
          const lookup = new PromptLookup(text);
          for (const token of later) {
            lookup.propose(1);
            text.push(token);
          }
          const gram = text.slice(-3).join();
          const at = Array.from({ length: text.length }, (_, end) => end).findLast(
            (end) => end >= 3 && text.slice(end - 3, end).join() === gram,
          );
          const expected = at === undefined || text.length < 3 ? [] : text.slice(at, at + most);
          expect(lookup.propose(most)).toEqual(expected);
        },
      ),
    );
  });
});
