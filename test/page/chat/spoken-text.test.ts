import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { selectSpokenText } from "../../../src/page/chat/spoken-text.js";

/** Announcements of a screen reader for a text that arrives in pieces. */
function spoken(pieces: readonly string[]): readonly string[] {
  let text = "";
  let spokenCharacters = 0;
  const words: string[] = [];
  for (const [index, piece] of pieces.entries()) {
    text += piece;
    const next = selectSpokenText(text, spokenCharacters, index === pieces.length - 1);
    spokenCharacters = next.spokenCharacters;
    if (next.words !== "") words.push(next.words);
  }
  return words;
}

describe("the screen reader text of an answer", () => {
  it("is announced in whole sentences, and the rest at the end", () => {
    expect(spoken(["I am", " a model. I", " run here", "! Ask", " me"])).toEqual([
      "I am a model.",
      "I run here!",
      "Ask me",
    ]);
  });

  it("is not split within a number or a name", () => {
    expect(spoken(["Version 3.14 of node.js is", " out.\nYes"])).toEqual([
      "Version 3.14 of node.js is out.\nYes",
    ]);
  });

  it("contains the whole text exactly once", () => {
    const piece = fc.stringMatching(/^[a-c. \n!]{0,6}$/);
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
        const without = (text: string) => text.replaceAll(/\s/g, "");
        expect(without(spoken(pieces).join(""))).toBe(without(pieces.join("")));
      }),
    );
  });
});
