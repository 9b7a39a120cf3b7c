import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const source = join(root, "src");
const modules = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => relative(source, join(entry.parentPath, entry.name)))
  .toSorted();

describe.each(modules)("the README of src/%s", (module) => {
  const path = join(source, module, "README.md");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";

  it("has five to fifteen lines on its content, its boundaries and the first file to read", () => {
    const lines = text.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThanOrEqual(5);
    expect(lines.length).toBeLessThanOrEqual(15);
    expect(lines[0]).toBe(`# ${module}`);
    for (const part of ["**Contents:**", "**Not here:**", "**Start with:**"]) {
      expect(text).toContain(part);
    }
  });

  it("names only existing files and folders", () => {
    const named = [...text.matchAll(/`([\w./-]+(?:\.ts|\/))`/g)].map(([, name = ""]) => name);
    for (const name of named) {
      const candidates = [join(dirname(path), name), join(source, name), join(root, name)];
      expect(
        candidates.some((candidate) => existsSync(candidate)),
        name,
      ).toBe(true);
    }
  });
});
