import { resolve, sep, win32 } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isSafePath } from "../../../src/models/store/safe-path.js";

test.each(["a.gguf", "user/repo/Q4_K_M/m-00001-of-00002.gguf", "Größe 7B/模型.gguf", "..a/b..c"])(
  "%j is a safe path",
  (path) => {
    expect(isSafePath(path)).toBe(true);
  },
);

test.each([
  ...["", "/", "/etc/passwd", "..", "../x", "a/../../x", "a//b", "a/./b", "a/", "\0", "a\0b"],
  ...["a\\..\\b", "C:x", "c:\\x", "a\nb", "con", "NUL.gguf", "a/com1.gguf", "a.", "a ", "a/b. "],
  ...["m\u202efugg.gguf", "a\u200b/b.gguf", "\ud83d.gguf", "a/\udc00b.gguf", "a\u2028b.gguf"],
  ...["x".repeat(256), "ü".repeat(128), "a/".repeat(600), 'a"b', "a*b", "a?b", "a|b", "a<b"],
])("%j is not a safe path", (path) => {
  expect(isSafePath(path)).toBe(false);
});

test("a safe path stays inside its folder on any operating system", () => {
  const hostile = fc.stringMatching(/^[./\\a:\0 ~%-]{1,12}$/);
  fc.assert(
    fc.property(hostile, (path) => {
      if (!isSafePath(path)) return;
      expect(resolve("/models", path).startsWith(`/models${sep}`)).toBe(true);
      expect(win32.resolve("D:\\models", path).startsWith("D:\\models\\")).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
