import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";

const built = new URL("../../dist/page/built/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, built), "utf8");

const MAX_BYTES = 80_000;

/** Static imports of a bundled script: `import{a}from"./b.js"`, `import"./b.js"`, `export{a}from"./b.js"`. */
const STATIC_IMPORT = /(?:\bfrom|\bimport)\s*"(\.\/[^"]+\.js)"/g;

/** A script and all scripts that it imports statically. */
function withImports(script: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(script)) return found;
  found.add(script);
  for (const [, path = ""] of read(script).matchAll(STATIC_IMPORT)) {
    withImports(basename(path), found);
  }
  return found;
}

it("the page loads at most 80 kB of compressed scripts and styles before its first paint", () => {
  const document = read("index.html");
  const files = [...document.matchAll(/(?:src|href)="\.\/page\/([^"]+\.(?:js|css))"/g)].map(
    ([, name = ""]) => name,
  );
  expect(files.map((name) => name.replace(/.*\./, "")).toSorted()).toEqual(
    expect.arrayContaining(["css", "js"]),
  );
  const loaded = new Set(
    files.flatMap((name) => (name.endsWith(".js") ? [...withImports(name)] : [name])),
  );
  // Browsers accept Brotli only over TLS and on localhost.
  const sizes = [...loaded].map((name) => [name, gzipSync(read(name)).length] as const);
  const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
  expect(total, JSON.stringify(sizes)).toBeLessThanOrEqual(MAX_BYTES);
});
