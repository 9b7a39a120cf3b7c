import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { AdapterChoice, AdapterSpec } from "../../src/core/adapters.js";
import type { Engine } from "../../src/core/engine.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { generate, openEngine } from "../support/generate.js";
import { generatedTokens } from "../support/generated-tokens.js";
import { tinyLora, tinyModel } from "../support/random-models.js";

const asked = (name: string, path: string): AdapterSpec => ({
  ...{ name, path },
  scale: 1,
  use: "when-asked",
});

let adapters: readonly AdapterSpec[];
beforeAll(() => {
  adapters = [asked("a", tinyLora(2)), asked("b", tinyLora(3, 16))];
});

async function engineWith(settings: Partial<EngineSettings> = {}): Promise<Engine> {
  const engine = await openEngine(tinyModel(), { adapters, ...settings });
  onTestFinished(() => engine.close());
  return engine;
}

/** All combinations of two adapters and their scales, including disabled ones. */
const sets: readonly (readonly AdapterChoice[])[] = [
  [],
  [{ name: "a", scale: 1 }],
  [{ name: "a", scale: 0.5 }],
  [{ name: "a", scale: -1 }],
  [{ name: "b", scale: 1 }],
  [
    { name: "a", scale: 0.5 },
    { name: "b", scale: 0.5 },
  ],
];

const answer = async (engine: Engine, chosen: readonly AdapterChoice[], prompt = "one prompt") =>
  (await generate(engine, prompt, { adapters: chosen })).text;

describe("LoRA adapters", () => {
  it("change the answer differently for each combination and scale, but not at scale 0", async () => {
    const engine = await engineWith();
    const answers: string[] = [];
    for (const chosen of sets) answers.push(await answer(engine, chosen));
    expect(new Set(answers).size).toBe(sets.length);
    expect(await answer(engine, [{ name: "a", scale: 0 }])).toBe(answers[0]);
  });

  it("give the same answers in concurrent requests, in any order, as alone", async () => {
    const alone: string[] = [];
    for (const chosen of sets) alone.push(await answer(await engineWith({ slots: 1 }), chosen));
    const engine = await engineWith({ slots: 6 });
    const together = () => Promise.all(sets.map((chosen) => answer(engine, chosen)));
    expect(await together()).toEqual(alone);
    expect(await together()).toEqual(alone);
    const shared = "a prefix that all of them share, ".repeat(8);
    const prompts = [`${shared} first`, `${shared} second`];
    const ofBoth = prompts.flatMap((prompt) => sets.map((chosen) => ({ prompt, chosen })));
    const expected: string[] = [];
    for (const { prompt, chosen } of ofBoth) {
      expected.push(await answer(await engineWith({ slots: 1 }), chosen, prompt));
    }
    const actual = ofBoth.map(({ prompt, chosen }) => answer(engine, chosen, prompt));
    expect(await Promise.all(actual)).toEqual(expected);
  }, 60_000);

  it("are applied by default as configured", async () => {
    const plain = await engineWith();
    const always = await engineWith({
      adapters: adapters.map((one) =>
        one.name === "a" ? { ...one, scale: 0.5, use: "always" } : one,
      ),
    });
    const { text } = await generate(always, "one prompt");
    expect(text).toBe(await answer(plain, [{ name: "a", scale: 0.5 }]));
    expect(await answer(always, [])).toBe(await answer(plain, []));
  });

  it("can be loaded and unloaded while other requests are answered", async () => {
    const engine = await engineWith({ adapters: [], slots: 4 });
    const expected = await answer(await engineWith(), [{ name: "b", scale: 1 }]);
    const running = Promise.all(
      ["x", "y"].map((prompt) => generate(engine, prompt, { stopping: { maxTokens: 200 } })),
    );
    for (let round = 0; round < 5; round++) {
      const [, b] = adapters;
      if (b === undefined) throw new Error("no adapter");
      expect(await engine.adapt({ type: "load", adapter: b })).toHaveLength(1);
      expect(await answer(engine, [{ name: "b", scale: 1 }])).toBe(expected);
      const last = answer(engine, [{ name: "b", scale: 1 }]);
      await new Promise(setImmediate);
      expect(await engine.adapt({ type: "unload", name: "b" })).toEqual([]);
      expect(await last).toBe(expected);
    }
    await running;
    await expect(answer(engine, [{ name: "b", scale: 1 }])).rejects.toMatchObject({
      code: "model_not_found",
    });
  });

  it("with an invocation sequence apply from that sequence in the prompt", async () => {
    const invocation = [300, 301];
    const names = { plain: tinyLora(2), activated: tinyLora(2, 4, "tiny", invocation) };
    const engine = await engineWith({
      slots: 3,
      adapters: Object.entries(names).map(([name, path]) => asked(name, path)),
    });
    const beginning = Array.from({ length: 60 }, (_, index) => 10 + index);
    const rest = [40, 41, 42];
    const tokensOf = (prompt: readonly number[], chosen: readonly AdapterChoice[]) =>
      generatedTokens(engine, prompt, chosen);
    const [plain, activated] = Object.keys(names).map((name) => [{ name, scale: 1 }]);
    // Without the invocation, it does not apply; at the beginning, it applies to all of the prompt.
    expect(await tokensOf(beginning, activated ?? [])).toEqual(await tokensOf(beginning, []));
    const invoked = [...invocation, ...rest];
    expect(await tokensOf(invoked, activated ?? [])).toEqual(await tokensOf(invoked, plain ?? []));
    const later = [...beginning, ...invoked];
    const answers = await Promise.all(
      [[], plain ?? [], activated ?? []].map((chosen) => tokensOf(later, chosen)),
    );
    expect(new Set(answers.map((tokens) => tokens.join())).size).toBe(3);
    // Cells before the invocation are not recomputed.
    expect(await tokensOf(later, activated ?? [])).toEqual(answers[2]);
    await expect(tokensOf(later, [...(plain ?? []), ...(activated ?? [])])).rejects.toMatchObject({
      ...{ code: "invalid_request", param: "lora" },
    });
  });
});
