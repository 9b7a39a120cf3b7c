import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Engine } from "../../src/core/engine.js";
import { brokenTokenModel } from "../support/broken-token-model.js";
import { generate, openEngine } from "../support/generate.js";

/** Token of the tiny model's vocabulary. */
const BROKEN_TEXT = "~";
const PROMPT = "ann asks where the sea ends. ".repeat(6);
const OTHER = "bob tells where the road ends. ".repeat(6);
const BROKEN_PROMPT = `${PROMPT}${BROKEN_TEXT}${PROMPT}`;

const newFolder = () => mkdtempSync(join(tmpdir(), "ggufd-test-"));

describe.each(["split", "unified"] as const)("non-finite logits, %s", (kvCacheLayout) => {
  const folder = newFolder();
  let modelPath: string;
  let expected: string;
  beforeAll(async () => {
    modelPath = brokenTokenModel(folder, BROKEN_TEXT).path;
    const engine = await open();
    ({ text: expected } = await generate(engine, PROMPT));
    await engine.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const open = (cacheDir?: string) =>
    openEngine(modelPath, {
      kvCacheLayout,
      kvCacheTypes: { keys: "f32", values: "f32" },
      batchSize: 48,
      contextSize: 1024,
      slots: 2,
      cacheRamMiB: 0,
      cacheDir,
      cacheDiskMiB: 64,
      speculation: "off",
    });
  const outcome = (engine: Engine, prompt: string) =>
    generate(engine, prompt).then(
      ({ text }) => text,
      ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
    );
  const failure =
    "internal_error: The model computed non-finite numbers, so no answer can be generated.";

  it("fail the request, but not later ones", async () => {
    const engine = await open();
    onTestFinished(() => engine.close());
    expect(await outcome(engine, BROKEN_PROMPT)).toBe(failure);
    expect(await outcome(engine, PROMPT)).toBe(expected);
    expect(await outcome(engine, BROKEN_PROMPT)).toBe(failure);
    expect(await Promise.all([outcome(engine, PROMPT), outcome(engine, PROMPT)])).toEqual([
      expected,
      expected,
    ]);
  });

  it("do not affect concurrent answers", async () => {
    const engine = await open();
    onTestFinished(() => engine.close());
    const [beside, broken] = await Promise.all([
      outcome(engine, PROMPT),
      outcome(engine, BROKEN_PROMPT),
    ]);
    expect(broken).toBe(failure);
    // In the unified layout, attention multiplies the cells of other sequences by 0, which preserves NaN.
    expect(kvCacheLayout === "split" ? [expected] : [expected, failure]).toContain(beside);
  });

  it("are not saved in states that a later process loads", async () => {
    const cacheDir = newFolder();
    onTestFinished(() => rmSync(cacheDir, { recursive: true, force: true }));
    const engine = await open(cacheDir);
    expect(await outcome(engine, OTHER)).not.toBe(failure);
    expect(await outcome(engine, BROKEN_PROMPT)).toBe(failure);
    await engine.close();
    const saved = readdirSync(cacheDir, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".state"))
      .map((name) => readFileSync(join(cacheDir, name)));
    const isNaNAnywhere = (state: Buffer) =>
      Array.from({ length: Math.floor(state.length / 4) }, (_, index) =>
        state.readFloatLE(index * 4),
      ).some(Number.isNaN);
    expect(saved.filter(isNaNAnywhere)).toEqual([]);
    const next = await open(cacheDir);
    onTestFinished(() => next.close());
    expect(await outcome(next, PROMPT)).toBe(expected);
  });
});
