import { copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AdapterSpec } from "../../src/core/adapters.js";
import { AdapterLibrary } from "../../src/engine/adapter-library.js";
import { tinyLora, tinyModel } from "../support/random-models.js";
import { tensorBlocks } from "../support/tensor-blocks.js";
import { temporaryFolder } from "./cache/traced-pool.js";

const spec = (name: string, path: string, fields: Partial<AdapterSpec> = {}): AdapterSpec => ({
  ...{ name, path, scale: 1, use: "when-asked" },
  ...fields,
});
const one = tinyLora(2);
const other = tinyLora(3);
const activated = tinyLora(4, 4, "tiny", [7, 8]);
const chosen = (...names: readonly string[]) => names.map((name) => ({ name, scale: 1 }));

const plenty = { cpuBytes: 2 ** 30, gpuBytes: 0 };

/** Library whose memory records the operations on it. */
function library({ refuses = false, free = plenty } = {}) {
  const ids = new Set<string>();
  const changes: string[] = [];
  const created = new AdapterLibrary({
    memory: {
      estimateUse: (bytes) => ({ cpuBytes: bytes, gpuBytes: 0 }),
      readFree: async () => free,
      load: async (id) => {
        if (refuses) throw new Error("tensor 'blk.9' does not exist");
        expect(ids).not.toContain(id);
        ids.add(id);
        changes.push("load");
      },
      unload: async (id) => {
        expect(ids).toContain(id);
        ids.delete(id);
        changes.push("unload");
      },
    },
    architecture: "llama",
    vocabularySize: 512,
    blockOf: tensorBlocks,
    textOf: (tokens) => `text of ${tokens}`,
  });
  return { library: created, changes, ids };
}

/** Whether a promise settles without further events. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.finally(() => {
    settled = true;
  });
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  return settled;
}

describe("the adapter library", () => {
  test("lists adapters with their names in the order of loading", async () => {
    const { library: adapters } = library();
    await adapters.load(spec("b", one));
    await adapters.load(spec("a", activated, { scale: 0.5 }));
    expect(adapters.list).toEqual([
      { ...spec("b", one), memory: { cpuBytes: statSync(one).size, gpuBytes: 0 } },
      {
        ...spec("a", activated, { scale: 0.5 }),
        memory: { cpuBytes: statSync(activated).size, gpuBytes: 0 },
        invocation: { tokens: [7, 8], text: "text of 7,8" },
      },
    ]);
  });

  test.each([
    ["NaN", Number.NaN],
    ["an infinity", Number.POSITIVE_INFINITY],
  ])(
    "rejects an adapter with %s among its weights and names its path and the tensor",
    async (_, value) => {
      const { library: adapters, changes } = library();
      const path = join(temporaryFolder(), "not-finite.gguf");
      const content = readFileSync(one);
      content.writeFloatLE(value, content.length - 4);
      writeFileSync(path, content);
      const change = adapters.change({ type: "load", adapter: spec("a", path) });
      await expect(change).rejects.toMatchObject({ code: "invalid_request", param: "lora_path" });
      await expect(change).rejects.toThrow(
        /^lora .*not-finite\.gguf: tensor "blk\.\d\.\w+\.weight\.lora_b": expected finite weights, got NaN or an infinity\.$/,
      );
      expect([adapters.list, changes]).toEqual([[], []]);
    },
  );

  test("loads equal files once, and adds up the scales of their names", async () => {
    const { library: adapters, changes } = library();
    const copied = join(temporaryFolder(), "copy.gguf");
    copyFileSync(one, copied);
    await Promise.all([adapters.load(spec("a", one)), adapters.load(spec("b", copied))]);
    const { applied, release } = adapters.select(
      [
        { name: "a", scale: 0.5 },
        { name: "b", scale: 2 },
      ],
      [],
    );
    expect(applied).toEqual([{ id: expect.any(String), scale: 2.5 }]);
    release();
    await adapters.change({ type: "unload", name: "a" });
    expect(changes).toEqual(["load"]);
    await adapters.change({ type: "unload", name: "b" });
    expect(changes).toEqual(["load", "unload"]);
  });

  test("frees an unloaded adapter when its last use ends", async () => {
    const { library: adapters, ids } = library();
    await adapters.load(spec("a", one));
    const uses = [adapters.select(chosen("a"), []), adapters.select(chosen("a"), [])];
    const unloading = adapters.change({ type: "unload", name: "a" });
    expect(adapters.list).toEqual([]);
    expect(() => adapters.select(chosen("a"), [])).toThrow(/adapter a has been unloaded/);
    uses[0]?.release();
    uses[0]?.release();
    expect(await isSettled(unloading)).toBe(false);
    expect(ids.size).toBe(1);
    uses[1]?.release();
    expect(await unloading).toEqual([]);
    expect(ids.size).toBe(0);
  });

  test("keeps an adapter in use after all names of its file are unloaded", async () => {
    const { library: adapters, ids } = library();
    await adapters.load(spec("a", one));
    await adapters.load(spec("b", one));
    const use = adapters.select(chosen("a"), []);
    await adapters.change({ type: "unload", name: "a" });
    const unloading = adapters.change({ type: "unload", name: "b" });
    expect(await isSettled(unloading)).toBe(false);
    expect(ids.size).toBe(1);
    use.release();
    await unloading;
    expect(ids.size).toBe(0);
  });

  test("keeps an adapter that is loaded again before it is freed", async () => {
    const { library: adapters, changes } = library();
    await adapters.load(spec("a", one));
    const use = adapters.select(chosen("a"), []);
    const unloading = adapters.change({ type: "unload", name: "a" });
    await adapters.change({ type: "load", adapter: spec("a", one) });
    await unloading;
    use.release();
    expect(changes).toEqual(["load"]);
    expect(adapters.select(chosen("a"), []).applied).toHaveLength(1);
  });

  test("applies adapters with `use: always` by default, except those with scale 0", async () => {
    const { library: adapters } = library();
    await adapters.load(spec("a", one, { use: "always", scale: 0.5 }));
    await adapters.load(spec("b", other));
    expect(adapters.select(undefined, []).applied).toMatchObject([{ scale: 0.5 }]);
    expect(adapters.select([], []).applied).toEqual([]);
    expect(adapters.select([{ name: "b", scale: 0 }], []).applied).toEqual([]);
  });

  test("applies an activated adapter from its last invocation in the prompt", async () => {
    const { library: adapters } = library();
    await adapters.load(spec("a", activated));
    const use = (prompt: readonly number[]) => adapters.select(chosen("a"), prompt);
    expect(use([7, 8, 1, 7, 8, 2])).toMatchObject({ applied: [{ scale: 1 }], appliedFrom: 3 });
    expect(use([7, 7, 8])).toMatchObject({ appliedFrom: 1 });
    expect(use([1, 7, 9, 8])).toEqual({ applied: [], release: expect.any(Function) });
    expect(use([8])).toMatchObject({ applied: [] });
  });

  test.each([
    [
      "an unloaded adapter",
      ["x"],
      { code: "model_not_found", param: undefined },
      "The adapter x has been unloaded. Loaded adapters of this model: a, b, c.",
    ],
    [
      "an activated adapter together with another one",
      ["a", "c"],
      { code: "invalid_request", param: "lora" },
      "expected no other adapters with c, which has",
    ],
  ])("rejects %s", async (_, names, fields, reason) => {
    const { library: adapters } = library();
    await adapters.load(spec("a", one));
    await adapters.load(spec("b", tinyLora(5, 4, "tiny", [9])));
    await adapters.load(spec("c", activated));
    const refusal = expect.objectContaining({
      ...fields,
      message: expect.stringContaining(reason),
    });
    expect(() => adapters.check(chosen(...names))).toThrow(refusal);
    expect(() => adapters.select(chosen(...names), [])).toThrow(refusal);
  });

  test("reports the file and the field of an adapter that cannot be loaded", async () => {
    const { library: adapters } = library();
    await adapters.load(spec("a", one));
    await expect(adapters.load(spec("a", other))).rejects.toThrow(
      `lora ${other}: expected a unique name, got a`,
    );
    await expect(
      adapters.change({ type: "load", adapter: spec("m", tinyModel()) }),
    ).rejects.toMatchObject({
      code: "invalid_request",
      param: "lora_path",
      message: expect.stringContaining(`lora ${tinyModel()}: expected a LoRA adapter, got model`),
    });
    await expect(adapters.change({ type: "unload", name: "x" })).rejects.toMatchObject({
      code: "model_not_found",
    });
    expect(adapters.list).toHaveLength(1);
    await expect(library({ refuses: true }).library.load(spec("a", one))).rejects.toThrow(
      /got one with other tensors: tensor 'blk.9' does not exist/,
    );
  });

  test("rejects an adapter that does not fit into memory, and reports the required memory", async () => {
    const { library: adapters, ids } = library({ free: { cpuBytes: 1000, gpuBytes: 0 } });
    await expect(adapters.change({ type: "load", adapter: spec("a", one) })).rejects.toMatchObject({
      ...{ code: "invalid_request", param: "lora_path" },
      message: expect.stringMatching(
        /^lora .*: needs \d+ MiB of memory, but only 0 MiB is free\.$/,
      ),
    });
    expect(adapters.list).toEqual([]);
    expect(ids.size).toBe(0);
  });
});
