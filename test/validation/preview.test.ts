import fc from "fast-check";
import { expect, test } from "vitest";
import { preview } from "../../src/validation/preview.js";

test('a short value is shown as JSON, and undefined as "nothing"', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      if ([...json].length <= 60) expect(preview(value)).toBe(json);
      else expect(preview(value)).toMatch(/…( \(\d+ characters\))?$/);
    }),
  );
  expect(preview(undefined)).toBe("nothing");
});

test("a long value is shown as the beginning of its JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.string({ minLength: 61 }), (value, text) => {
      for (const long of [[text, value], { a: text, b: value }, [[[text]], value]]) {
        const shown = preview(long);
        expect(shown.endsWith("…")).toBe(true);
        expect(JSON.stringify(long).startsWith(shown.slice(0, -1))).toBe(true);
      }
    }),
  );
});

test.each([
  ["😀".repeat(80), 80],
  ["x".repeat(61), 61],
  ["x".repeat(2_000_000), 2_000_000],
])("a long string is truncated between characters, and its length is added", (text, characters) => {
  const shown = preview(text);
  expect(shown).toMatch(new RegExp(`^".*… \\(${characters} characters\\)$`, "u"));
  expect(shown.isWellFormed()).toBe(true);
});

test.each([
  ["[", "]"],
  ['{"a":', "}"],
])("a deeply nested value is shown as its beginning: %s", (open, close) => {
  const depth = 100_000;
  const value: unknown = JSON.parse(`${open.repeat(depth)}0${close.repeat(depth)}`);
  expect(preview(value)).toBe(`${open.repeat(60).slice(0, 60)}…`);
});

test("a preview reads only the shown part of a large value", () => {
  let itemsRead = 0;
  const items = new Proxy(
    Array.from({ length: 100_000 }, () => 0),
    {
      get: (target, key, receiver) => {
        if (typeof key === "string" && /^\d+$/.test(key)) itemsRead++;
        return Reflect.get(target, key, receiver);
      },
    },
  );
  preview({ items });
  expect(itemsRead).toBeLessThan(200);
});
