import { expect, test } from "vitest";
import {
  escapeHiddenCharacters,
  hasHiddenCharacters,
  withoutHiddenCharacters,
} from "../../src/core/hidden-characters.js";

test.each([
  ["a control", "\n"],
  ["an escape sequence of a terminal", "\u001b"],
  ["a C1 control", "\u009b"],
  ["a right-to-left override", "\u202e"],
  ["a right-to-left isolate", "\u2067"],
  ["a right-to-left mark", "\u200f"],
  ["an Arabic letter mark", "\u061c"],
  ["a zero-width space", "\u200b"],
  ["a zero-width joiner", "\u200d"],
  ["a byte order mark", "\ufeff"],
  ["a soft hyphen", "\u00ad"],
  ["a tag character", "\u{e0041}"],
  ["a line separator", "\u2028"],
  ["a paragraph separator", "\u2029"],
  ["a lone high surrogate", "\ud83d"],
  ["a lone low surrogate", "\udc00"],
])("%s is classified as hidden, removed and escaped", (_, character) => {
  const text = `a${character}b`;
  expect(hasHiddenCharacters(text)).toBe(true);
  expect(withoutHiddenCharacters(text)).toBe("ab");
  const escaped = escapeHiddenCharacters(text);
  expect(hasHiddenCharacters(escaped)).toBe(false);
  expect(JSON.parse(`"${escaped}"`)).toBe(text);
});

test.each(["llama-3.2", "Größe 7B", "模型", "نموذج", "😀", "e\u0301"])(
  "%s has no hidden characters",
  (text) => {
    expect(hasHiddenCharacters(text)).toBe(false);
    expect(withoutHiddenCharacters(text)).toBe(text);
    expect(escapeHiddenCharacters(text)).toBe(text);
  },
);
