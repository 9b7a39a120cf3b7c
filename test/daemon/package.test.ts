import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

interface Packed {
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

it("the package contains only runtime files", () => {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const [packed] = JSON.parse(
    execFileSync("npm", args, { cwd: root, encoding: "utf8" }),
  ) as Packed[];
  const files = new Map(packed?.files.map(({ path, mode }) => [path, mode]));
  for (const path of ["package.json", "LICENSE", "models/ggufd-mini.gguf", "dist/openapi.json"]) {
    expect(files.has(path), path).toBe(true);
  }
  expect((files.get("dist/main.js") ?? 0) & 0o111).not.toBe(0);
  expect([...files.keys()].filter((path) => /^(src|test|bench|docs|deploy)\//.test(path))).toEqual(
    [],
  );
});
