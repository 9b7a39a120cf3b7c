import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeF32Twin } from "../../models/gguf/f32-twin.js";
import { Random } from "../../models/random/random-choices.js";
import type { Engine } from "../../src/core/engine.js";
import type { ChatMessage } from "../../src/core/generation-request.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { type Answer, generate, openEngine } from "../support/generate.js";
import { writePerturbed } from "../support/perturbed-model.js";
import { shippedModel } from "../support/shipped-model.js";

/** System prompts that requests share; long ones, too, so that states are copied and awaited. */
const systems = [
  "You are a helpful assistant.",
  "You are a helpful assistant. ".repeat(12),
  "The ship is old. The sea is blue. The captain is called Nora. ".repeat(8),
];

/** Questions with one clear answer: between equally likely ones, rounding would decide. */
const questions: readonly string[] = JSON.parse(
  readFileSync(new URL("definite-questions.json", import.meta.url), "utf8"),
);

interface Request {
  readonly id: string;
  readonly messages: readonly ChatMessage[];
  /** `undefined`: until the model ends it, or the context does. */
  readonly maxTokens: number | undefined;
  /** Number of requests that must have ended before this one starts. */
  readonly startAfterEnded: number;
  readonly isCancelled: boolean;
}

function drawRequests(seed: number, count: number): Request[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, index) => ({
    id: `r${index}`,
    messages: [
      { role: "system", content: random.pick(systems) },
      { role: "user", content: random.pick(questions) },
    ],
    maxTokens: random.chance(0.3) ? undefined : random.int(1, 60),
    startAfterEnded: random.int(0, Math.floor(index / 2)),
    isCancelled: random.chance(0.2),
  }));
}

const greedy = ({ id, maxTokens }: Request) => ({ id, stopping: { maxTokens, ignoreEos: false } });

/** Trained model in f32, which rounds least; its likeliest token is rarely a tie. */
const folder = mkdtempSync(join(tmpdir(), "ggufd-"));
const model = join(folder, "twin.gguf");
/** Draft model whose drafts are accepted in part. */
const draftModelPath = join(folder, "draft.gguf");
let reference: Engine;
beforeAll(async () => {
  writeF32Twin(shippedModel, model);
  writePerturbed(model, draftModelPath, 0.3);
  reference = await openEngine(model, { slots: 1, speculation: "off" });
});
afterAll(async () => {
  await reference.close();
  rmSync(folder, { recursive: true });
});

const known = new Map<string, Promise<Answer>>();

/**
 * Answer of a request that runs alone. Variants with the same number of slots have the same
 * requests.
 */
function answerAlone(request: Request): Promise<Answer> {
  const { messages, maxTokens } = request;
  const key = JSON.stringify([messages, maxTokens]);
  const answer = known.get(key) ?? generate(reference, messages, greedy(request));
  known.set(key, answer);
  return answer;
}

/** Runs all requests, each as soon as enough others have ended; some are cancelled. */
function runAll(engine: Engine, requests: readonly Request[]): Promise<Map<string, Answer>> {
  const started = new Set<string>();
  const answers = new Map<string, Answer>();
  return new Promise((resolve, reject) => {
    const startEligible = () => {
      for (const request of requests) {
        if (started.has(request.id) || request.startAfterEnded > answers.size) continue;
        started.add(request.id);
        generate(engine, request.messages, greedy(request)).then(
          (answer) => onEnd(request.id, answer),
          reject,
        );
      }
    };
    const onEnd = (endedId: string, answer: Answer) => {
      answers.set(endedId, answer);
      const cancellable = requests.filter(({ isCancelled }) => isCancelled);
      for (const { id } of cancellable.slice(0, answers.size % 3)) engine.cancel(id);
      startEligible();
      if (answers.size === requests.length) resolve(answers);
    };
    startEligible();
  });
}

const variants: readonly Partial<EngineSettings>[] = [
  { slots: 4, batchSize: 64 },
  { slots: 4, batchSize: 16, speculation: "off" },
  { slots: 3, batchSize: 512, itlTargetMs: 1 },
  { slots: 8, batchSize: 48 },
  { slots: 2, batchSize: 64, cacheRamMiB: 64 },
  { slots: 3, batchSize: 64, draftModelPath },
  { slots: 4, batchSize: 64, kvCacheLayout: "unified" },
  // As many tokens as the reference has, shared by all: requests wait, and are suspended.
  { slots: 4, batchSize: 64, kvCacheLayout: "unified", contextSize: 128, cacheRamMiB: 64 },
  { slots: 8, batchSize: 48, kvCacheLayout: "unified", contextSize: 64, cacheRamMiB: 1 },
  { slots: 3, batchSize: 64, kvCacheLayout: "unified", draftModelPath, cacheRamMiB: 64 },
];

// Each setting answers all of its requests twice: together, and one by one.
describe("concurrent requests", { timeout: 120_000 }, () => {
  it.each(variants)("get the same answers as alone, with %o", async (settings) => {
    const requests = drawRequests(settings.slots ?? 0, 24);
    const engine = await openEngine(model, settings);
    const answers = await runAll(engine, requests);
    for (const request of requests) {
      const alone = await answerAlone(request);
      const answer = answers.get(request.id);
      if (answer?.reason === "cancelled") expect(alone.text.startsWith(answer.text)).toBe(true);
      else expect(answer?.text).toBe(alone.text);
    }
    expect([...answers.values()].some(({ usage }) => (usage?.cachedTokens ?? 0) > 20)).toBe(true);
    await engine.close();
  });
});
