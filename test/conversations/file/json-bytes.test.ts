import { describe, expect, test } from "vitest";
import { toJsonBytes } from "../../../src/conversations/file/json-bytes.js";

const printed = (value: unknown) => Buffer.concat(toJsonBytes(value)).toString();

describe("JSON as bytes", () => {
  test.each<[string, unknown]>([
    ["short texts", { a: ["b", { c: 'ä\n"' }], n: 1.5, t: true, z: null }],
    ["a long plain text", { url: `data:image/png;base64,${"QUJD".repeat(50_000)}`, after: 1 }],
    ["two long plain texts alone", ["a".repeat(70_000), "~".repeat(70_000)]],
    ["a long text with quotes", { text: `${"a".repeat(70_000)}"` }],
    ["a long text with backslashes", { text: `${"a".repeat(70_000)}\\n` }],
    ["a long text with control characters", { text: `${"a".repeat(70_000)}\u0000\n\u007f` }],
    ["a long text beyond ASCII", { text: `${"a".repeat(70_000)}é世😀\ud800` }],
    ["values that JSON omits", { a: undefined, f: () => 1, long: "x".repeat(70_000) }],
    ["an object with toJSON", { at: new Date(0), long: "x".repeat(70_000) }],
  ])("equals the output of JSON.stringify: %s", (_what, value) => {
    expect(printed(value)).toBe(JSON.stringify(value));
  });

  test("copies a long plain text separately", () => {
    expect(toJsonBytes({ a: "x".repeat(70_000) }).map(({ length }) => length)).toEqual([
      6, 70_000, 2, 0,
    ]);
  });
});
