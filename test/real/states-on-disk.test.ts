import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Engine } from "../../src/core/engine.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { generate, openEngine } from "../support/generate.js";
import { writePerturbed } from "../support/perturbed-model.js";
import { tinyModel } from "../support/random-models.js";

/** f32, and slices of fewer than 64 tokens: a reused prefix is then computed as the whole prompt is. */
const settings = {
  kvCacheTypes: { keys: "f32", values: "f32" },
  batchSize: 48,
  contextSize: 512,
  slots: 2,
  cacheRamMiB: 0,
  cacheDiskMiB: 64,
  speculation: "off",
} as const;

const MODEL = tinyModel();

const PROMPTS = ["ann asks", "bob tells"].map((words) => `${words} where the sea ends. `.repeat(6));
const [PROMPT = "", OTHER = ""] = PROMPTS;

const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** The states in a cache folder, without their manifests. */
function statesIn(cacheDir: string): string[] {
  return readdirSync(cacheDir, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".state"))
    .map((name) => join(cacheDir, name));
}

/** Offset of a state's numbers, after a header and the tokens. */
const bodyStart = (state: Buffer) => 12 + 4 * state.readUInt32LE(8);

type Mutation = readonly [name: string, mutate: (state: Buffer, other: Buffer) => Buffer];

const flipped = (at: (state: Buffer) => number) => (state: Buffer) => {
  const byte = at(state);
  state.writeUInt8(state.readUInt8(byte) ^ 0x40, byte);
  return state;
};

const MUTATIONS: readonly Mutation[] = [
  ["a flipped bit in its header", flipped(() => 4)],
  ["a flipped bit in its tokens", flipped((state) => bodyStart(state) - 4)],
  ["a flipped bit in its positions", flipped((state) => bodyStart(state) + 8)],
  ["a flipped bit in its keys", flipped((state) => Math.floor(state.length / 2))],
  ["a flipped bit at its end", flipped((state) => state.length - 1)],
  ["a block of garbage", (state) => state.fill(0x5a, state.length - 2400, state.length - 400)],
  ["NaN in its values", (state) => state.fill(0xff, state.length - 2000, state.length - 16)],
  ["the content of another state", (_, other) => other],
  [
    "its own tokens and the body of another state",
    (state, other) =>
      Buffer.concat([state.subarray(0, bodyStart(state)), other.subarray(bodyStart(other))]),
  ],
  ["its second half missing", (state) => state.subarray(0, Math.floor(state.length / 2))],
  [
    "a cell count of 0x7fffffff",
    (state) => {
      state.writeUInt32LE(0x7fffffff, bodyStart(state) + 4);
      return state;
    },
  ],
];

describe.each(["split", "unified"] as const)("in the %s layout", (kvCacheLayout) => {
  const open = (
    cacheDir: string | undefined,
    overrides: Partial<EngineSettings> = {},
    warnings: string[] = [],
  ) =>
    openEngine(
      MODEL,
      { ...settings, kvCacheLayout, cacheDir, ...overrides },
      { log: (level, message) => level === "warn" && warnings.push(message) },
    );

  const expected = new Map<string, string>();
  let saved: string;
  beforeAll(async () => {
    const alone = await open(undefined);
    for (const prompt of PROMPTS) expected.set(prompt, (await generate(alone, prompt)).text);
    await alone.close();
    saved = mkdtempSync(join(tmpdir(), "ggufd-test-"));
    // The first state of an engine is always saved, the next one only if saving was fast.
    for (const prompt of PROMPTS) {
      const engine = await open(saved);
      await generate(engine, prompt);
      await engine.close();
    }
  });
  afterAll(() => rmSync(saved, { recursive: true, force: true }));

  /** A copy of the folder left by an engine, and its files. */
  function copyOfSaved() {
    const cacheDir = newFolder();
    for (const name of readdirSync(saved, { recursive: true, encoding: "utf8" })) {
      const from = join(saved, name);
      if (statSync(from).isDirectory()) continue;
      const to = join(cacheDir, name);
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(from, to);
    }
    return cacheDir;
  }

  const asks = async (engine: Engine, prompt: string) => {
    const { text, usage } = await generate(engine, prompt);
    return { text, cachedTokens: usage?.cachedTokens ?? 0 };
  };

  it("an intact saved state gives the same answer as without a cache", async () => {
    const engine = await open(copyOfSaved());
    onTestFinished(() => engine.close());
    for (const prompt of PROMPTS) {
      const { text, cachedTokens } = await asks(engine, prompt);
      expect(text).toBe(expected.get(prompt));
      expect(cachedTokens).toBeGreaterThan(32);
    }
  });

  it.each(MUTATIONS)(
    "a state with %s is discarded without changing the answer",
    async (_, mutate) => {
      const cacheDir = copyOfSaved();
      const files = statesIn(cacheDir);
      expect(files).toHaveLength(2);
      const contents = files.map((file) => readFileSync(file));
      const mutated = contents.map((content, index) =>
        mutate(Buffer.from(content), Buffer.from(contents[1 - index] ?? content)),
      );
      for (const [index, file] of files.entries()) writeFileSync(file, mutated[index] ?? "");
      const warnings: string[] = [];
      const engine = await open(cacheDir, {}, warnings);
      onTestFinished(() => engine.close());
      const answers = await Promise.all(PROMPTS.map((prompt) => asks(engine, prompt)));
      expect(answers).toEqual(
        PROMPTS.map((prompt) => ({ text: expected.get(prompt), cachedTokens: 0 })),
      );
      expect(
        warnings.filter((message) => message.includes("deleted the saved state")),
      ).toHaveLength(2);
      expect(files.filter((file) => existsSync(file))).toEqual([]);
    },
  );

  it("a model with different weights of the same size, path and time reuses no state", async () => {
    const folder = newFolder();
    const modelPath = join(folder, "model.gguf");
    copyFileSync(MODEL, modelPath);
    const time = new Date("2026-01-01");
    utimesSync(modelPath, time, time);
    const overrides = { modelPath, slots: 1 };
    const first = await open(join(folder, "cache"), overrides);
    await generate(first, PROMPT);
    await first.close();
    writePerturbed(MODEL, modelPath, 0.5);
    utimesSync(modelPath, time, time);
    const alone = await open(undefined, overrides);
    const { text } = await generate(alone, PROMPT);
    await alone.close();
    const engine = await open(join(folder, "cache"), overrides);
    onTestFinished(() => engine.close());
    expect(await asks(engine, PROMPT)).toEqual({ text, cachedTokens: 0 });
  });

  it("the same weights at another path reuse the states", async () => {
    const cacheDir = copyOfSaved();
    const modelPath = join(newFolder(), "moved.gguf");
    copyFileSync(MODEL, modelPath);
    const engine = await open(cacheDir, { modelPath });
    onTestFinished(() => engine.close());
    const { text, cachedTokens } = await asks(engine, OTHER);
    expect(text).toBe(expected.get(OTHER));
    expect(cachedTokens).toBeGreaterThan(32);
  });
});
