import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { u32 } from "../../models/gguf/metadata.js";
import { StartupError } from "../../src/core/startup-error.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import {
  type DraftingWeights,
  type MtpModelOptions,
  writeEagle3Head,
  writeMtpModel,
  writeTargetModel,
} from "../support/drafting-models.js";
import { type GenerateOptions, generate, openEngine } from "../support/generate.js";
import { tinyModel } from "../support/random-models.js";
import { startRequest } from "../support/start-request.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggufd-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Reading the time takes 1 ms and everything else none: drafts pay off as soon as they are accepted. */
beforeEach(() => {
  let ms = 0;
  vi.spyOn(performance, "now").mockImplementation(() => ++ms);
});
afterEach(() => vi.restoreAllMocks());

/** Small enough that a sampled text is not the most probable one. */
const SHARPNESS = 0.05;

type Kind = MtpModelOptions["architecture"] | "eagle3";

/** Model with its drafting weights. */
function modelOf(kind: Kind, drafting: DraftingWeights) {
  if (kind !== "eagle3") {
    const path = writeMtpModel(folder, { architecture: kind, drafting, sharpness: SHARPNESS });
    return { path, drafted: {}, plain: { mtp: "off" } } as const;
  }
  const draftModelPath = writeEagle3Head(folder, { drafting });
  const path = writeTargetModel(folder, { sharpness: SHARPNESS });
  return { path, drafted: { draftModelPath }, plain: {} };
}

const schema = {
  type: "object",
  properties: { name: { type: "string", maxLength: 20 }, size: { type: "integer" } },
  required: ["name", "size"],
  additionalProperties: false,
} as const;

const requests: readonly (readonly [prompt: string, options: GenerateOptions])[] = [
  ["Hello!", {}],
  ["What is the capital of France?", { sampling: { temperature: 0.9, topK: 40, seed: 7 } }],
  ["many words ".repeat(60), { sampling: { temperature: 0.7, seed: 9, minP: 0.01 } }],
  ["12 + 30", { constraint: { type: "json-schema", schema } }],
  ["many words ".repeat(50), { sampling: { repeatPenalty: 1.3, repeatLastN: 30 } }],
];

/** Answers to the requests in sequence, concurrently, and to the first ones again. */
async function answers(model: string, settings: Partial<EngineSettings>) {
  const engine = await openEngine(model, { slots: 3, ...settings });
  const answer = ([prompt, options]: (typeof requests)[number]) =>
    generate(engine, prompt, { stopping: { maxTokens: 50 }, ...options });
  const all = [];
  for (const request of requests) all.push(await answer(request));
  all.push(...(await Promise.all(requests.map(answer))));
  for (const request of requests.slice(0, 2)) all.push(await answer(request));
  const drafts = engine.statistics?.drafts.model ?? { proposed: 0, accepted: 0 };
  await engine.close();
  return { texts: all.map(({ text }) => text), drafts };
}

describe.each(["glm4moe", "qwen35", "mimo2", "eagle3"] as const)(
  "drafting from hidden states (%s)",
  (kind) => {
    it("does not change answers, whether drafts are accepted or rejected", async () => {
      const { path, plain } = modelOf(kind, "exact");
      const without = await answers(path, plain);
      expect(without.drafts.proposed).toBe(0);
      const exact = await answers(path, modelOf(kind, "exact").drafted);
      expect(exact.texts).toEqual(without.texts);
      expect(exact.drafts.accepted).toBeGreaterThan(0);
      const noise = modelOf(kind, "noise");
      const other = await answers(noise.path, noise.drafted);
      expect(other.texts).toEqual(without.texts);
      expect(other.drafts.proposed).toBeGreaterThan(0);
    });

    it("has its drafts accepted if they match the model's tokens", async () => {
      const { path, drafted } = modelOf(kind, "exact");
      const engine = await openEngine(path, drafted);
      await generate(engine, "Hello!", { stopping: { maxTokens: 60 } });
      const { proposed = 0, accepted = 0 } = engine.statistics?.drafts.model ?? {};
      expect(proposed).toBeGreaterThan(30);
      expect(accepted).toBe(proposed);
      await engine.close();
    });

    it("continues with states from memory and from disk, and after a cancelled generation", async () => {
      const { path, drafted, plain } = modelOf(kind, "exact");
      const conversations = async (settings: Partial<EngineSettings>) => {
        const engine = await openEngine(path, { slots: 2, cacheRamMiB: 64, ...settings });
        const texts: string[] = [];
        for (let round = 0; round < 3; round++) {
          for (const name of ["one", "two", "three", "four"]) {
            const prompt = `${name} ${"and further ".repeat(20 + 10 * round)}`;
            const { text } = await generate(engine, prompt, { stopping: { maxTokens: 12 } });
            texts.push(text);
          }
          await cancelled(engine);
        }
        await engine.close();
        return texts;
      };
      expect(await conversations(drafted)).toEqual(await conversations(plain));
    });
  },
);

/** Starts a generation, and cancels it once it has begun to answer. */
async function cancelled(engine: Awaited<ReturnType<typeof openEngine>>): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    startRequest(
      engine,
      {
        id: "cancelled",
        prompt: {
          type: "chat",
          messages: [{ role: "user", content: "for ever" }],
          tools: [],
          templateVariables: {},
        },
        sampling: { temperature: 0 },
        stopping: { maxTokens: 400, minTokens: 0, stop: [], ignoreEos: true },
      },
      (event) => {
        if (event.type === "text-delta") engine.cancel("cancelled");
        if (event.type === "cancelled" || event.type === "finished") resolve();
        if (event.type === "failed") reject(event.error);
      },
    ).catch(reject);
  });
}

describe("the multi-token prediction layers of a model", () => {
  it("are reported and use memory, unless they are disabled", async () => {
    const path = writeMtpModel(folder, { architecture: "glm4moe", drafting: "exact" });
    const engine = await openEngine(path);
    expect(engine.description).toMatchObject({ mtpLayers: 1 });
    await engine.close();
    const without = await openEngine(path, { mtp: "off" });
    expect(without.description).not.toHaveProperty("mtpLayers");
    await without.close();
  });

  it("are not used by a model without such layers", async () => {
    const lines: string[] = [];
    const engine = await openEngine(tinyModel(), {}, { log: (_, line) => lines.push(line) });
    expect(engine.description).not.toHaveProperty("mtpLayers");
    expect(lines.join("\n")).not.toContain("multi-token");
    await engine.close();
  });
});

it("an EAGLE-3 head may have separate embeddings and a separate output matrix", async () => {
  const path = writeTargetModel(folder, { sharpness: SHARPNESS });
  const draftModelPath = writeEagle3Head(folder, { drafting: "exact", matrices: "own" });
  const engine = await openEngine(path, { draftModelPath });
  const plain = await openEngine(path);
  const request = { stopping: { maxTokens: 60 } };
  const answer = await generate(engine, "Hello!", request);
  expect(answer.text).toBe((await generate(plain, "Hello!", request)).text);
  expect(engine.statistics?.drafts.model.accepted).toBeGreaterThan(0);
  expect(engine.description.draftModel).toMatchObject({ path: draftModelPath });
  await Promise.all([engine.close(), plain.close()]);
});

describe("an EAGLE-3 head is rejected with its path", () => {
  const rejection = async (model: string, draftModelPath: string): Promise<string> => {
    const error = await openEngine(model, { draftModelPath }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartupError);
    return error instanceof StartupError ? error.message : "";
  };

  it("if it was trained for a model of a different size", async () => {
    const path = writeEagle3Head(folder, { drafting: "exact" });
    expect(await rejection(tinyModel(), path)).toBe(
      `draft ${path}: trained for a model with hidden states of 128 elements, not 64`,
    );
  });

  it("if it reads more layers than the model has", async () => {
    const target_layers = { type: "array", element: "i32", values: [0, 1, 7] } as const;
    const metadata = new Map([["target_layers", target_layers]]);
    const path = writeEagle3Head(folder, { drafting: "exact", metadata });
    expect(await rejection(writeTargetModel(folder), path)).toBe(
      `draft ${path}: trained for a model with more layers: it reads layer 7, but the last readable layer is 2`,
    );
  });

  it("if it is served as the main model", async () => {
    const path = writeEagle3Head(folder, { drafting: "exact" });
    await expect(openEngine(path)).rejects.toThrow(
      `model ${path}: an EAGLE-3 head, which can only draft for another model`,
    );
  });

  it("if it has more than one layer", async () => {
    const metadata = new Map([["block_count", u32(2)]]);
    const path = writeEagle3Head(folder, { drafting: "exact", metadata });
    expect(await rejection(writeTargetModel(folder), path)).toBe(
      `draft ${path}: expected an EAGLE-3 head of 1 layer, got 2`,
    );
  });
});
