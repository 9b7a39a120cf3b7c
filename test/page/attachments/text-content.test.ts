import { describe, expect, it } from "vitest";
import { cutText, decodeText, MAX_TEXT_BYTES } from "../../../src/page/attachments/text-content.js";

const bytes = (...values: readonly number[]) => Uint8Array.from(values);
const utf8 = (text: string) => new TextEncoder().encode(text);

describe("a text file", () => {
  it.each([
    ["UTF-8", utf8("größer\n"), { text: "größer\n", note: undefined }],
    ["UTF-8 with a byte order mark", bytes(0xef, 0xbb, 0xbf, 0x61), { text: "a", note: undefined }],
    ["UTF-16, little endian", bytes(0xff, 0xfe, 0x61, 0), { text: "a", note: "Read as UTF-16." }],
    ["UTF-16, big endian", bytes(0xfe, 0xff, 0, 0x61), { text: "a", note: "Read as UTF-16." }],
    ["Windows-1252", bytes(0x67, 0xfc, 0x80), { text: "gü€", note: "Read as Windows-1252." }],
    ["terminal colours", utf8("\x1b[1mA"), { text: "\x1b[1mA", note: undefined }],
  ])("is decoded: %s", (_name, content, decoded) => {
    expect(decodeText(content)).toEqual(decoded);
  });

  it.each([
    ["NUL characters", utf8("a\0b")],
    ["control characters", bytes(0x7f, 0x45, 0x4c, 0x46, 0x02, 0x01)],
    ["a compressed file", bytes(0x50, 0x4b, 0x03, 0x04, 0x14)],
  ])("is not a binary file: %s", (_name, content) => {
    expect(decodeText(content)).toBeUndefined();
  });

  it("is cut at its limit, between characters", () => {
    const long = "€".repeat(MAX_TEXT_BYTES);
    const cut = cutText(long);
    expect(utf8(cut).length).toBeLessThanOrEqual(MAX_TEXT_BYTES);
    expect(utf8(cut).length).toBeGreaterThan(MAX_TEXT_BYTES - 3);
    expect(cut.replaceAll("€", "")).toBe("");
    expect(cutText("short")).toBe("short");
  });

  it("says that only its beginning was read", () => {
    const read = decodeText(utf8("a".repeat(100)), 10_000_000);
    expect(read?.note).toMatch(/^Only the first .* of .* are attached\.$/);
  });

  it("may be cut within a character when it is read", () => {
    expect(decodeText(utf8("aü").subarray(0, 2), 3)?.text).toBe("a");
  });
});
