import { expect, test } from "vitest";
import {
  describeVocabularyDifference,
  type TokenTable,
} from "../../../../src/engine/text/vocabulary/draft-vocabulary.js";

const main: TokenTable = {
  texts: ["<s>", "</s>", "a", "b"],
  special: { "beginning of text": 0, "end of text": 1, "end of turn": undefined },
};

test.each<[string, Partial<TokenTable>, string | undefined]>([
  ["no difference", {}, undefined],
  ["the size", { texts: ["<s>", "</s>", "a"] }, "3 tokens instead of 4"],
  [
    "an end token",
    { special: { ...main.special, "end of text": 3 } },
    "the token for end of text is 3 instead of 1",
  ],
  [
    "a missing token",
    { special: { ...main.special, "beginning of text": undefined } },
    "the token for beginning of text is none instead of 0",
  ],
  [
    "an additional special token",
    { special: { ...main.special, "end of turn": 1 } },
    "the token for end of turn is 1 instead of none",
  ],
  ["a text", { texts: ["<s>", "</s>", "a", 'c"'] }, 'token 3 is "c\\"" instead of "b"'],
])("reports how a draft vocabulary differs: %s", (_, fields, difference) => {
  expect(describeVocabularyDifference(main, { ...main, ...fields })).toBe(difference);
});
