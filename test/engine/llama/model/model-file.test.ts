import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StartupError } from "../../../../src/core/startup-error.js";
import { checkModelFile } from "../../../../src/engine/llama/model/model-file.js";

let folder = "";
const inFolder = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ggufd-model-file-"));
  await writeFile(inFolder("model.gguf"), "GGUF and more");
  await writeFile(inFolder("page.gguf"), "<!doctype html>");
  await writeFile(inFolder("empty.gguf"), "");
  await writeFile(inFolder("truncated.gguf"), "GGU");
});
afterAll(() => rm(folder, { recursive: true }));

describe("checkModelFile", () => {
  test("returns the size and the modification time of the file", async () => {
    const { mtimeMs } = await stat(inFolder("model.gguf"));
    expect(await checkModelFile({ role: "model", path: inFolder("model.gguf") })).toEqual({
      sizeBytes: 13,
      modifiedMs: mtimeMs,
    });
  });

  test.each([
    ["missing.gguf", "there is no such file"],
    [".", "expected a file, got a folder"],
    ["page.gguf", 'not a GGUF file (expected it to begin with "GGUF", got "<!do")'],
    ["empty.gguf", 'not a GGUF file (expected it to begin with "GGUF", got "")'],
    ["truncated.gguf", 'not a GGUF file (expected it to begin with "GGUF", got "GGU")'],
  ])("rejects %s: %s", async (name, reason) => {
    const path = inFolder(name);
    for (const role of ["model", "draft-model"] as const) {
      const rejection = checkModelFile({ role, path });
      await expect(rejection).rejects.toBeInstanceOf(StartupError);
      await expect(rejection).rejects.toThrow(`${role} ${path}: ${reason}`);
    }
  });

  test("reports why a path cannot be read", async () => {
    await expect(checkModelFile({ role: "model", path: inFolder("model.gguf/x") })).rejects.toThrow(
      /^model .*model\.gguf\/x: ENOTDIR/,
    );
  });
});
