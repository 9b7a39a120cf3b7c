import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PromptLookup } from "../../../src/engine/drafts/prompt-lookup.js";

const letters = (text: string) => [...text].map((letter) => letter.charCodeAt(0));
const proposed = (text: string, maxTokens = 4) =>
  String.fromCharCode(...new PromptLookup(letters(text)).propose(maxTokens));

describe("prompt lookup", () => {
  test.each([
    { text: "", draft: "" },
    { text: "abc", draft: "" },
    { text: "abcdefgh", draft: "" },
    { text: "abcdefgh abc", draft: "defg" },
    { text: "abcX abcY abc", draft: "Y ab" },
    { text: "abcabc", draft: "abc" },
    { text: "aaaa", draft: "a" },
    { text: "bcdefgh cd bc", draft: "" },
  ])("for the text $text proposes $draft", ({ text, draft }) => {
    expect(proposed(text)).toBe(draft);
  });

  test("supports a growing text", () => {
    const text = letters("one two three. one");
    const lookup = new PromptLookup(text);
    expect(String.fromCharCode(...lookup.propose(4))).toBe(" two");
    text.push(...letters(" two"));
    expect(String.fromCharCode(...lookup.propose(6))).toBe(" three");
  });

  test("proposes the tokens after the latest occurrence of the last three tokens", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(2), { maxLength: 60 }),
        fc.array(fc.nat(2), { maxLength: 20 }),
        fc.integer({ min: 1, max: 8 }),
        (prompt, later, maxTokens) => {
          const text = [...prompt];
          const lookup = new PromptLookup(text);
          for (const token of later) {
            lookup.propose(1);
            text.push(token);
          }
          const lastGram = text.slice(-3).join();
          const follower = Array.from({ length: text.length }, (_, end) => end).findLast(
            (end) => end >= 3 && text.slice(end - 3, end).join() === lastGram,
          );
          const expected =
            follower === undefined || text.length < 3
              ? []
              : text.slice(follower, follower + maxTokens);
          expect(lookup.propose(maxTokens)).toEqual(expected);
        },
      ),
    );
  });
});
