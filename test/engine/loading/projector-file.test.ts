import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { projectorShapes } from "../../../models/random/projector-shapes.js";
import { StartupError } from "../../../src/core/startup-error.js";
import { readProjectorFile } from "../../../src/engine/loading/projector-file.js";
import { mutationsOf } from "../../support/mutated-gguf.js";
import { modelWithProjector, tinyLora } from "../../support/random-models.js";
import { tensorBlocks } from "../../support/tensor-blocks.js";

const folder = mkdtempSync(join(tmpdir(), "ggufd-projector-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (path: string) => readProjectorFile(path, tensorBlocks);
const { model, projector: sound } = modelWithProjector("pixtral-projector-tiny");

function fileWith(content: Uint8Array): string {
  const path = join(folder, "changed.gguf");
  writeFileSync(path, content);
  return path;
}

describe("a projector's file", () => {
  test("is read with its size, modification time and content hash", async () => {
    const { size, mtimeMs } = statSync(sound);
    const file = await read(sound);
    expect(file).toMatchObject({ path: sound, sizeBytes: size, modifiedMs: mtimeMs });
    const other = await read(modelWithProjector("whisper-projector-tiny").projector);
    expect(other.id).not.toBe(file.id);
    expect((await read(fileWith(readFileSync(sound)))).id).toBe(file.id);
  });

  test.each([
    ["gemma3-projector-tiny", true],
    ["qwen25vl-projector-tiny", false],
    ["pixtral-projector-tiny", false],
    ["whisper-projector-tiny", false],
  ] as const)(
    "determines whether an image uses non-causal attention: %s %s",
    async (shape, areCellsWhole) => {
      expect(projectorShapes).toHaveProperty(shape);
      expect(await read(modelWithProjector(shape).projector)).toMatchObject({ areCellsWhole });
    },
  );

  test.each<[string, () => string, string]>([
    ["that is missing", () => join(folder, "none.gguf"), "no such file"],
    ["that is a folder", () => folder, ""],
    ["that is a model", () => model, "expected a projector (mmproj), got a model (llama)"],
    ["that is an adapter", () => tinyLora(2), "expected a projector (mmproj), got a model (llama)"],
    ["that is empty", () => fileWith(Buffer.alloc(0)), "not a valid GGUF file"],
    ["that is something else", () => fileWith(Buffer.from("an image")), "not a valid GGUF file"],
    [
      "whose end is missing",
      () => fileWith(readFileSync(sound).subarray(0, -1)),
      "not a valid GGUF file",
    ],
  ])(
    "is rejected with a one-line error %s, with its path and the reason",
    async (_, pathOf, reason) => {
      const path = pathOf();
      await expect(read(path)).rejects.toThrow(StartupError);
      await expect(read(path)).rejects.toThrow(`mmproj ${path}: ${reason}`);
      await expect(read(path)).rejects.not.toThrow("\n");
    },
  );

  test("is accepted, or rejected with its path, for any mutated header", async () => {
    let refused = 0;
    for (const { name, file } of mutationsOf(readFileSync(sound), 300, 1)) {
      const path = fileWith(file);
      const outcome = await read(path).catch((error: unknown) => error);
      if (!(outcome instanceof Error)) continue;
      refused++;
      expect(outcome, name).toBeInstanceOf(StartupError);
      expect(outcome.message, name).toContain(`mmproj ${path}: `);
    }
    expect(refused).toBeGreaterThan(100);
  });
});
