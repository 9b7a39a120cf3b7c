import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { GgufContent } from "../../../models/gguf/content.js";
import { type MetadataValue, u32 } from "../../../models/gguf/metadata.js";
import { writeGguf } from "../../../models/gguf/writer.js";
import { randomModelContent } from "../../../models/random/generate.js";
import { StartupError } from "../../../src/core/startup-error.js";
import { checkModelFile } from "../../../src/engine/loading/model-file.js";
import type { BlockOfType } from "../../../src/engine/native/tensor-blocks.js";

let folder = "";
const inFolder = (name: string) => join(folder, name);
const blockOf: BlockOfType = (typeId) =>
  typeId === 0 ? { elements: 1, bytes: 4 } : { elements: 32, bytes: 34 };
const check = (name: string, role: "model" | "draft" = "model") =>
  checkModelFile({ role, path: inFolder(name) }, blockOf);

const u16 = (value: number): MetadataValue => ({ type: "u16", value });
const sound: GgufContent = randomModelContent({ shape: "tiny", type: "q8_0", seed: 1 });

/** One of two parts of a model, with the first or second half of its tensors. */
function writePart(
  name: string,
  part: 0 | 1,
  split: Readonly<Record<string, MetadataValue>>,
): void {
  const half = sound.tensors.length / 2;
  writeGguf(inFolder(name), {
    metadata: new Map([...(part === 0 ? sound.metadata : []), ...Object.entries(split)]),
    tensors: sound.tensors.slice(part * half, (part + 1) * half),
  });
}
const numbers = (no: number, count = 2) => ({ "split.no": u16(no), "split.count": u16(count) });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ggufd-model-file-"));
  writeGguf(inFolder("model.gguf"), sound);
  await writeFile(inFolder("page.gguf"), "<!doctype html>");
  await writeFile(inFolder("empty.gguf"), "");
  await writeFile(inFolder("short.gguf"), "GG");
  await writeFile(
    inFolder("truncated.gguf"),
    (await readFile(inFolder("model.gguf"))).subarray(0, -1),
  );
  writePart("split-00001-of-00002.gguf", 0, numbers(0));
  writePart("split-00002-of-00002.gguf", 1, numbers(1));
  for (const type of ["adapter", "mmproj"]) {
    writePart(`${type}.gguf`, 0, { "general.type": { type: "string", value: type } });
  }
  writePart("alone-00001-of-00002.gguf", 0, numbers(0));
  writePart("renamed.gguf", 0, numbers(0));
  writePart("wide-00001-of-00002.gguf", 0, { ...numbers(0), "split.count": u32(2) });
  writePart("twice-00001-of-00002.gguf", 0, numbers(0));
  writePart("twice-00002-of-00002.gguf", 0, numbers(1));
  writePart("order-00001-of-00002.gguf", 0, numbers(0));
  writePart("order-00002-of-00002.gguf", 1, numbers(0));
});
afterAll(() => rm(folder, { recursive: true }));

describe("checkModelFile", () => {
  test("returns the size and the modification time of the file", async () => {
    const { mtimeMs, size } = await stat(inFolder("model.gguf"));
    expect(await check("model.gguf")).toMatchObject({ sizeBytes: size, modifiedMs: mtimeMs });
  });

  test("returns the paths of all parts of a split model", async () => {
    const parts = await Promise.all(
      [1, 2].map((part) => stat(inFolder(`split-0000${part}-of-00002.gguf`))),
    );
    expect(await check("split-00001-of-00002.gguf")).toMatchObject({
      sizeBytes: parts.reduce((sum, { size }) => sum + size, 0),
      modifiedMs: Math.max(...parts.map(({ mtimeMs }) => mtimeMs)),
    });
  });

  test.each([
    ["missing.gguf", "no such file"],
    [".", "expected a file, got a folder"],
    ["page.gguf", 'not a valid GGUF file: the beginning: expected "GGUF", got "<!do"'],
    ["adapter.gguf", "expected a model, got an adapter, which is used with its model (--lora)"],
    ["mmproj.gguf", "expected a model, got a projector, which is used with its model (--mmproj)"],
    ["empty.gguf", "not a valid GGUF file: it is empty"],
    [
      "short.gguf",
      "not a valid GGUF file: the beginning: expected 4 bytes at 0, got 2 up to the end of the file",
    ],
    [
      "truncated.gguf",
      "not a valid GGUF file: the data of its 20 tensors: expected a file of at least",
    ],
    [
      "split-00002-of-00002.gguf",
      "not a valid GGUF file: expected the first of 2 parts (-00001-of-00002.gguf)",
    ],
    [
      "renamed.gguf",
      'not a valid GGUF file: metadata "split.count": expected 1, as in the file\'s name, got 2',
    ],
    [
      "wide-00001-of-00002.gguf",
      'not a valid GGUF file: metadata "split.count": expected a u16, got 2 (u32)',
    ],
  ])("rejects %s: %s", async (name, reason) => {
    for (const role of ["model", "draft"] as const) {
      const rejection = check(name, role);
      await expect(rejection).rejects.toBeInstanceOf(StartupError);
      await expect(rejection).rejects.toThrow(`${role} ${inFolder(name)}: ${reason}`);
    }
  });

  test.each([
    ["alone", "no such file"],
    ["twice", /not a valid GGUF file: tensor "\S+": already in an earlier part/],
    ["order", 'not a valid GGUF file: metadata "split.no": expected 1, got 0'],
  ])("rejects the second part of the split model %s", async (name, reason) => {
    const rejection = check(`${name}-00001-of-00002.gguf`);
    await expect(rejection).rejects.toThrow(reason);
    await expect(rejection).rejects.toThrow(`model ${inFolder(name)}-00002-of-00002.gguf: `);
  });

  test("reports why a file cannot be read", async () => {
    await expect(check("model.gguf/x")).rejects.toThrow(/^model .*model\.gguf\/x: ENOTDIR/);
  });
});
