import { expect, it } from "vitest";
import { cutText, MAX_RESULT_CHARACTERS, toToolResult } from "../../src/mcp/tool-result.js";

const image = (mimeType: string, data = "AAAA") => ({ type: "image" as const, mimeType, data });
const text = (value: string) => ({ type: "text" as const, text: value });

it.each([
  [[text("a"), text("b")], "a\nb"],
  [[image("image/svg+xml")], "[image omitted: image/svg+xml, 4 characters in base64]"],
  [
    [{ type: "audio" as const, mimeType: "audio/wav", data: "AAAA" }],
    "[audio omitted: audio/wav, 4 characters in base64]",
  ],
  [[{ type: "resource" as const, resource: { uri: "file:///a", text: "content" } }], "content"],
  [
    [{ type: "resource" as const, resource: { uri: "file:///a", blob: "AAAA" } }],
    "[resource omitted: file:///a]",
  ],
  [[{ type: "resource_link" as const, uri: "file:///a", name: "a" }], "[resource: file:///a]"],
])("the text of a result with %j is %j", (content, expected) => {
  expect(toToolResult({ content }).text).toBe(expected);
});

it("structured content counts if there is no other content", () => {
  expect(toToolResult({ content: [], structuredContent: { a: 1 } }).text).toBe('{"a":1}');
});

it("a result has at most four images", () => {
  const content = Array.from({ length: 5 }, () => image("image/png"));
  const result = toToolResult({ content });
  expect(result.images).toHaveLength(4);
  expect(result.text).toBe("[image omitted: image/png, 4 characters in base64]");
});

it("a long text is cut at whole characters, with a note", () => {
  expect(cutText("x".repeat(MAX_RESULT_CHARACTERS))).toHaveLength(MAX_RESULT_CHARACTERS);
  expect(cutText("abc\u{1f600}def", 4)).toBe("abc\ufffd\n[truncated: 4 of 8 characters omitted]");
});
