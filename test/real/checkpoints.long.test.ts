import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Engine } from "../../src/core/engine.js";
import type { ChatMessage } from "../../src/core/generation-request.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { createLlamaEngine } from "../../src/engine/llama-engine.js";
import { engineSettings } from "../support/engine-settings.js";
import { generate, openEngine } from "../support/generate.js";
import { tinyModel } from "../support/random-models.js";

/**
 * f32 throughout, and slices of fewer than 64 tokens: llama.cpp's flash attention computes larger
 * ones in another way, and the rounding would differ from that of a prompt evaluated alone.
 */
const settings = {
  kvCacheTypes: { keys: "f32", values: "f32" },
  batchSize: 48,
  contextSize: 1024,
  cacheRamMiB: 64,
} as const;

/** Long enough for a checkpoint. */
const system = (name: string): ChatMessage => ({
  role: "system",
  content: `You are ${name}, who answers in short words. `.repeat(8),
});

/** Prompts of a conversation's turns, with fixed answers instead of generated ones. */
function turnsOf(name: string, shared: ChatMessage, turns: number): ChatMessage[][] {
  const messages = Array.from({ length: turns }, (_, turn): ChatMessage[] => [
    { role: "user", content: `${name} asks for the ${turn}. time: ${"where is it? ".repeat(6)}` },
    { role: "assistant", content: `${name}, it is in ${turn} of the other places.` },
  ]).flat();
  return Array.from({ length: turns }, (_, turn) => [shared, ...messages.slice(0, 2 * turn + 1)]);
}

/**
 * Maximum number of engines that are tried, because the benefit of drafts depends on the machine's
 * load.
 */
const MAX_ROUNDS = 10;

/** Models without partial truncation. */
describe.each(["mamba-tiny", "jamba-tiny", "cohere2-tiny"] as const)("the model %s", (shape) => {
  const model = tinyModel("f32", shape);
  /** Its states can be cut while the window is in the cache, as all of these prompts are. */
  const isWindowed = shape === "cohere2-tiny";
  let alone: Engine;
  beforeAll(async () => {
    alone = await openEngine(model, {
      ...settings,
      slots: 1,
      cacheRamMiB: 0,
      speculation: "off",
    });
  });
  afterAll(() => alone.close());

  const open = async (overrides: Partial<EngineSettings>) => {
    const engine = await openEngine(model, { ...settings, ...overrides });
    onTestFinished(() => engine.close());
    return engine;
  };

  it("reuses its state before the last answer for the next turn of a conversation", async () => {
    const engine = await open({ slots: 1 });
    const [first = [], second = [], third = []] = turnsOf("ann", system("a sailor"), 3);
    const { usage } = await generate(engine, first);
    const answers = [await generate(engine, second), await generate(engine, third)];
    const prompts = [usage, answers[0]?.usage].map((one) => one?.promptTokens ?? 0);
    expect(usage?.cachedTokens).toBe(0);
    const cached = answers.map((answer) => answer.usage?.cachedTokens ?? 0);
    const checkpoints = prompts.map((tokens) => tokens - 16);
    if (isWindowed) {
      for (const [turn, tokens] of checkpoints.entries()) {
        expect(cached[turn]).toBeGreaterThanOrEqual(tokens);
      }
    } else expect(cached).toEqual(checkpoints);
    expect(answers[1]?.text).toBe((await generate(alone, third)).text);
  });

  it("evaluates the shared prefix of two prompts only once", async () => {
    const engine = await open({ slots: 2 });
    const cached: (number | undefined)[] = [];
    for (const name of ["ann", "bob", "cleo", "dan"]) {
      const [prompt = []] = turnsOf(name, system("a baker"), 1);
      const { text, usage } = await generate(engine, prompt);
      expect(text).toBe((await generate(alone, prompt)).text);
      cached.push(usage?.cachedTokens);
    }
    const [first, second = 0, third = 0, fourth] = cached;
    expect([first, fourth]).toEqual([0, third]);
    expect(third).toBeGreaterThan(100);
    // The second prompt is the first to show that the prefix is shared.
    expect(second).toBe(isWindowed ? third : 0);
  });

  it("evaluates the shared prefix of concurrent prompts only once", async () => {
    const engine = await open({ slots: 4 });
    const prompts = ["ann", "bob", "cleo", "dan", "eve", "fay"].map(
      (name) => turnsOf(name, system("a painter"), 1)[0] ?? [],
    );
    const answers = await Promise.all(prompts.map((prompt) => generate(engine, prompt)));
    const [first, ...others] = answers.map(({ usage }) => usage?.cachedTokens);
    expect(first).toBe(0);
    for (const cached of others) expect(cached).toBeGreaterThan(100);
    for (const [index, prompt] of prompts.entries()) {
      expect(answers[index]?.text).toBe((await generate(alone, prompt)).text);
    }
  });

  describe("gives each turn of concurrent conversations the same answer as alone", () => {
    const names = ["ann", "bob", "cleo", "dan", "eve", "fay", "gus"];
    const conversations = names.map((name, index) =>
      turnsOf(name, system(index % 3 === 0 ? "a sailor" : `a friend of ${name}`), 3),
    );
    const answer = async (engine: Engine, conversation: number, turn: number) => {
      const stopping = { maxTokens: 5 + 7 * ((conversation + turn) % 4) };
      const { text } = await generate(engine, conversations[conversation]?.[turn] ?? [], {
        stopping,
      });
      return text;
    };
    const expected: string[][] = [];
    beforeAll(async () => {
      for (const [index, turns] of conversations.entries()) {
        const texts: string[] = [];
        for (const turn of turns.keys()) texts.push(await answer(alone, index, turn));
        expected.push(texts);
      }
    });

    it.each<Partial<EngineSettings>>([
      { slots: 2 },
      { slots: 3, batchSize: 32, itlTargetMs: 1 },
      { slots: 4, cacheRamMiB: 1 },
      { slots: 2, cacheRamMiB: 0 },
    ])("with %o", async (overrides) => {
      const engine = await open(overrides);
      const answers = conversations.map(async (turns, index) => {
        const texts: string[] = [];
        for (const turn of turns.keys()) texts.push(await answer(engine, index, turn));
        return texts;
      });
      expect(await Promise.all(answers)).toEqual(expected);
    });
  });

  it("uses the trained context size by default", async () => {
    const { description } = await open({ contextSize: undefined });
    expect(description.model.contextSize).toBe(2048);
    expect(description.kvCache.bytes).toBeGreaterThanOrEqual(0);
  });

  it("logs once that it does not support partial truncation", async () => {
    const messages: string[] = [];
    const engine = await createLlamaEngine(
      { ...engineSettings, ...settings, modelPath: model },
      {
        log: (_level, message) => messages.push(message),
        onProgress: () => undefined,
        onStepEnd: () => undefined,
      },
    );
    onTestFinished(() => engine.close());
    expect(messages.filter((message) => message.includes("cannot be truncated"))).toHaveLength(1);
  });

  describe("generates the same text with partly rejected drafts as without drafts", () => {
    /**
     * Texts of two letters, which repeat themselves in part. Among many letters, some are so equally
     * likely that rounding would decide.
     */
    const logitBias = new Map([..."ab"].map((letter) => [letter.charCodeAt(0), 100]));
    const requests = Array.from({ length: 12 }, (_, index) => ({
      prompt: "ab abb aab ".repeat(1 + (index % 6)),
      sampling: { logitBias, seed: index, temperature: index % 2 === 0 ? 0 : 1 },
    }));
    const answer = (engine: Engine, { prompt, sampling }: (typeof requests)[number]) =>
      generate(engine, prompt, { sampling, stopping: { maxTokens: 80 } });
    const expected: string[] = [];
    beforeAll(async () => {
      for (const request of requests) expected.push((await answer(alone, request)).text);
    });

    it.each([1, 4])("in %i slots", async (slots) => {
      let [proposed, accepted] = [0, 0];
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const engine = await open({ slots, speculation: "auto" });
        const answers = await Promise.all(requests.map((request) => answer(engine, request)));
        expect(answers.map(({ text }) => text)).toEqual(expected);
        for (const { timings } of answers) {
          proposed += timings?.draftTokens ?? 0;
          accepted += timings?.acceptedDraftTokens ?? 0;
        }
        if (accepted > 0 && proposed > accepted) break;
      }
      expect(accepted).toBeGreaterThan(0);
      expect(proposed).toBeGreaterThan(accepted);
    });

    it("and continues with the next turn of a conversation", async () => {
      const engine = await open({ slots: 1, speculation: "auto" });
      for (const turn of turnsOf("ann", system("a sailor"), 3)) {
        const options = { sampling: { logitBias }, stopping: { maxTokens: 60 } };
        const { text } = await generate(engine, turn, options);
        expect(text).toBe((await generate(alone, turn, options)).text);
      }
    });
  });
});
