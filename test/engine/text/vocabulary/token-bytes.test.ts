import { describe, expect, it } from "vitest";
import { decodeToken, toByteAlphabet } from "../../../../src/engine/text/vocabulary/token-bytes.js";

describe("tokenBytes", () => {
  it.each([
    ["Ġ?", "normal", "byte-alphabet", " ?"],
    ["âĤ¬", "normal", "byte-alphabet", "€"],
    ["▁?", "normal", "sentencepiece", " ?"],
    ["▁▁x", "normal", "sentencepiece", "  x"],
    ["<think>", "literal", "byte-alphabet", "<think>"],
    ["▁", "literal", "sentencepiece", "▁"],
    ["<|im_end|>", "silent", "byte-alphabet", ""],
  ] as const)("decodes %s (%s, %s) to %j", (text, kind, writing, expected) => {
    expect(Buffer.from(decodeToken({ text, kind }, writing)).toString()).toBe(expected);
  });

  it.each([
    ["<0x00>", 0x00],
    ["<0xE2>", 0xe2],
    ["<0xFF>", 0xff],
  ])("decodes the byte token %s", (text, byte) => {
    expect([...decodeToken({ text, kind: "byte" }, "sentencepiece")]).toEqual([byte]);
  });

  it("inverts GPT-2's byte alphabet", () => {
    const text = "aé€😀 \n\u00AD\u0000";
    const written = toByteAlphabet(text).join("");
    expect(
      Buffer.from(decodeToken({ text: written, kind: "normal" }, "byte-alphabet")).toString(),
    ).toBe(text);
  });
});
