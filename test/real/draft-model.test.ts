import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeF32Twin } from "../../models/gguf/f32-twin.js";
import { generateRandomModel } from "../../models/random/generate.js";
import { StartupError } from "../../src/core/startup-error.js";
import { DraftModel } from "../../src/engine/drafts/draft-model.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { attachCompanion } from "../../src/engine/native/companion/attach-companion.js";
import { NativeContext } from "../../src/engine/native/native-context.js";
import { generate, openEngine } from "../support/generate.js";
import { nativeLibrary } from "../support/native-library.js";
import { writePerturbed } from "../support/perturbed-model.js";
import { tinyModel } from "../support/random-models.js";
import { shippedModel } from "../support/shipped-model.js";

let folder: string;
/** The shipped model in f32, which rounds least, and one that mostly agrees with it. */
let main: string;
let perturbed: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggufd-"));
  main = join(folder, "main.gguf");
  perturbed = join(folder, "perturbed.gguf");
  writeF32Twin(shippedModel, main);
  writePerturbed(main, perturbed, 0.3);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Each has one clear answer: between equally likely ones, rounding would decide. */
const prompts = [
  "Hello! Who are you?",
  "What is the capital of France?",
  "What is 12 + 30?",
  "What is the capital of Japan?",
];

/** Answers to the prompts in sequence, and then concurrently. */
async function answers(settings: Partial<EngineSettings>) {
  const engine = await openEngine(main, settings);
  const answer = (prompt: string) =>
    generate(engine, prompt, { stopping: { maxTokens: 60, ignoreEos: false } });
  const alone = [];
  for (const prompt of prompts) alone.push(await answer(prompt));
  const together = await Promise.all(prompts.map(answer));
  await engine.close();
  const all = [...alone, ...together];
  return {
    texts: all.map(({ text }) => text),
    proposed: all.reduce((sum, { timings }) => sum + (timings?.draftTokens ?? 0), 0),
  };
}

describe("with a draft model", () => {
  it("every answer is the same as without a draft model", async () => {
    const plain = await answers({ speculation: "off" });
    expect(plain.proposed).toBe(0);
    for (const draftModelPath of [main, perturbed]) {
      const drafted = await answers({ draftModelPath });
      expect(drafted.texts).toEqual(plain.texts);
      expect(drafted.proposed).toBeGreaterThan(0);
    }
  });

  it("nearly all draft tokens are accepted if both models have the same weights", async () => {
    const engine = await openEngine(main, { draftModelPath: main });
    // Shorter than the whole answer: draft tokens after its end are always rejected.
    const { timings } = await generate(engine, "Hello! Who are you?", {
      stopping: { maxTokens: 10 },
    });
    const { draftTokens = 0, acceptedDraftTokens = 0 } = timings ?? {};
    expect(acceptedDraftTokens / draftTokens).toBeGreaterThan(0.9);
    await engine.close();
  });

  it("an answer continues after the smaller context of the draft model is full", async () => {
    const short = join(folder, "short.gguf");
    generateRandomModel({ shape: "tiny", type: "f32", seed: 2, path: short });
    const options = { slots: 2, contextSize: 4096 };
    const engine = await openEngine(tinyModel(), { ...options, draftModelPath: short });
    expect(engine.description.draftModel).toMatchObject({ path: short, contextSize: 2048 });
    const plain = await openEngine(tinyModel(), { ...options, speculation: "off" });
    const request = { stopping: { maxTokens: 80 } };
    const long = "many words ".repeat(500);
    const [drafted, expected] = [
      await generate(engine, long, request),
      await generate(plain, long, request),
    ];
    expect(expected.usage?.promptTokens).toBeGreaterThan(1900);
    expect(drafted.text).toBe(expected.text);
    await Promise.all([engine.close(), plain.close()]);
  });
});

describe("the proposals of the draft model", () => {
  it("are the same for several tokens and sequences at once as one by one", async () => {
    const llama = await nativeLibrary();
    const companion = await attachCompanion(llama, process.env.GGUFD_TEST_COMPANION);
    const model = await llama.loadModel({ modelPath: main });
    const context = await model.createContext({ sequences: 3, contextSize: 256, batchSize: 64 });
    const draftModel = new DraftModel({
      context: new NativeContext(context, { layout: "split", streamBytes: 0 }, companion),
      contextSize: context.contextSize,
    });
    const texts = prompts.slice(0, 3).map((prompt, sequenceId) => ({
      sequenceId,
      tokens: [...model.tokenize(prompt)] as number[],
    }));
    await draftModel.catchUp(texts, 1000);
    const drafts = await draftModel.propose(texts, 6);
    // Token by token, in another order of the sequences: yields the same tokens.
    for (let round = 0; round < 6; round++) {
      for (const [index, text] of texts.toReversed().entries()) {
        const sequenceId = 2 - index;
        const [next] = (await draftModel.propose([text], 1)).get(sequenceId) ?? [];
        expect(next).toBe(drafts.get(sequenceId)?.[round]);
        text.tokens.push(next ?? 0);
      }
    }
    draftModel.dispose();
    await context.dispose();
    await model.dispose();
  });
});

describe("a draft model is rejected with its path if it", () => {
  const rejection = async (model: string, draftModelPath: string): Promise<string> => {
    const error = await openEngine(model, { draftModelPath }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartupError);
    return error instanceof StartupError ? error.message : "";
  };

  it("does not exist, or is not a GGUF file", async () => {
    const text = join(folder, "text.gguf");
    writeFileSync(text, "hello");
    expect(await rejection(main, "/nowhere.gguf")).toBe("draft /nowhere.gguf: no such file");
    expect(await rejection(main, text)).toBe(
      `draft ${text}: not a valid GGUF file: the beginning: expected "GGUF", got "hell"`,
    );
  });

  it("is truncated", async () => {
    const cut = join(folder, "cut.gguf");
    writeFileSync(cut, readFileSync(main).subarray(0, 2000));
    expect(await rejection(main, cut)).toMatch(
      /^draft .*cut\.gguf: not a valid GGUF file: metadata .* up to the end of the file: it is incomplete/,
    );
  });

  it("has a different vocabulary, with the difference", async () => {
    const path = tinyModel();
    const message = await rejection(main, path);
    expect(message).toMatch(
      /^draft .*: its vocabulary differs from the model's: 512 tokens instead of \d+$/,
    );
    expect(message).toContain(path);
  });

  it("or the main model does not support partial truncation", async () => {
    const mamba = join(folder, "mamba.gguf");
    generateRandomModel({ shape: "mamba-tiny", type: "f32", seed: 1, path: mamba });
    expect(await rejection(tinyModel(), mamba)).toMatch(/its state cannot be truncated \(mamba\)$/);
    expect(await rejection(mamba, tinyModel())).toMatch(
      /not usable with a model whose state cannot be/,
    );
  });

  it("cannot generate text", async () => {
    const path = join(folder, "embed.gguf");
    generateRandomModel({ shape: "embed-tiny", type: "f32", seed: 1, path });
    expect(await rejection(tinyModel(), path)).toMatch(/^draft .*embedding or reranking model/);
  });
});
