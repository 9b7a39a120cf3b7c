import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { f32, type MetadataValue, text, texts, u32s } from "../../../models/gguf/metadata.js";
import { writeGguf } from "../../../models/gguf/writer.js";
import { randomLoraContent } from "../../../models/random/lora.js";
import { StartupError } from "../../../src/core/startup-error.js";
import { readLoraFile } from "../../../src/engine/loading/lora-file.js";
import { mutationsOf } from "../../support/mutated-gguf.js";
import { tinyLora, tinyModel } from "../../support/random-models.js";
import { tensorBlocks } from "../../support/tensor-blocks.js";

const folder = mkdtempSync(join(tmpdir(), "ggufd-lora-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

const read = (path: string, architecture = "llama") =>
  readLoraFile({ path, architecture, vocabularySize: 512, blockOf: tensorBlocks });

/** An adapter with changed header entries. */
function withEntries(entries: Readonly<Record<string, MetadataValue>>): string {
  const content = randomLoraContent({ shape: "tiny", rank: 1, seed: 1 });
  const path = join(folder, "changed.gguf");
  const metadata = new Map([...content.metadata, ...Object.entries(entries)]);
  writeGguf(path, { ...content, metadata });
  return path;
}

describe("a LoRA adapter's file", () => {
  test("is read with its size and content hash", async () => {
    const path = tinyLora(2);
    const file = await read(path);
    const { size } = statSync(path);
    expect(file).toMatchObject({
      ...{ sizeBytes: size, id: expect.any(String), invocationTokens: [] },
    });
    expect((await read(tinyLora(3))).id).not.toBe(file.id);
    const copy = join(folder, "copy.gguf");
    writeFileSync(copy, readFileSync(path));
    expect((await read(copy)).id).toBe(file.id);
  });

  test("is read with the tokens that activate it", async () => {
    expect(await read(tinyLora(2, 4, "tiny", [300, 7]))).toMatchObject({
      invocationTokens: [300, 7],
    });
  });

  test.each<[string, () => string, string]>([
    ["that is missing", () => join(folder, "none.gguf"), "no such file"],
    ["that is a model", () => tinyModel(), "expected a LoRA adapter, got model"],
    [
      "of another kind",
      () => withEntries({ "adapter.type": text("control") }),
      "expected a LoRA adapter, got adapter",
    ],
    [
      "for another architecture",
      () => tinyLora(2, 4, "cohere2-tiny"),
      "expected an adapter for a llama model, got one for cohere2",
    ],
    [
      "whose scale is not finite",
      () => withEntries({ "adapter.lora.alpha": f32(Number.NaN) }),
      "adapter.lora.alpha: expected a finite number, got NaN",
    ],
    [
      "whose invocation has unknown tokens",
      () => withEntries({ "adapter.alora.invocation_tokens": u32s([1, 512]) }),
      "adapter.alora.invocation_tokens: expected tokens below 512, got 1,512",
    ],
    [
      "whose invocation is a text",
      () => withEntries({ "adapter.alora.invocation_tokens": texts(["a"]) }),
      "adapter.alora.invocation_tokens: expected tokens below 512, got a",
    ],
  ])("is rejected %s, with its path and the reason", async (_, pathOf, reason) => {
    const path = pathOf();
    await expect(read(path)).rejects.toThrow(StartupError);
    await expect(read(path)).rejects.toThrow(`lora ${path}: ${reason}`);
  });

  test("is rejected if its end is missing", async () => {
    const path = join(folder, "truncated.gguf");
    writeFileSync(path, readFileSync(tinyLora(2)).subarray(0, -1));
    await expect(read(path)).rejects.toThrow(`lora ${path}: not a valid GGUF file`);
  });

  test("is accepted, or rejected with its path, for any mutated header", async () => {
    const sound = readFileSync(tinyLora(2, 1, "tiny", [1, 2]));
    const path = join(folder, "mutated.gguf");
    let refused = 0;
    for (const { name, file } of mutationsOf(sound, 300, 1)) {
      writeFileSync(path, file);
      const outcome = await read(path).catch((error: unknown) => error);
      if (!(outcome instanceof Error)) continue;
      refused++;
      expect(outcome, name).toBeInstanceOf(StartupError);
      expect(outcome.message, name).toContain(`lora ${path}: `);
    }
    expect(refused).toBeGreaterThan(150);
  });
});
