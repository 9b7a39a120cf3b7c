import { describe, expect, it, onTestFinished } from "vitest";
import { f32, text, u32 } from "../../models/gguf/metadata.js";
import type { Engine } from "../../src/core/engine.js";
import type { ChatPrompt } from "../../src/core/generation-request.js";
import { samplingDefaults } from "../../src/core/sampling-table.js";
import { StartupError } from "../../src/core/startup-error.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { generate, openEngine, preparerOf } from "../support/generate.js";
import { modelWithMetadata, tinyModel } from "../support/random-models.js";
import { shippedModel } from "../support/shipped-model.js";

async function open(path: string, settings: Partial<EngineSettings> = {}): Promise<Engine> {
  const engine = await openEngine(path, { slots: 1, contextSize: 256, ...settings });
  onTestFinished(() => engine.close());
  return engine;
}

function conversation(...messages: ChatPrompt["messages"]): ChatPrompt {
  return { type: "chat", messages, tools: [], templateVariables: {} };
}

async function rendered(engine: Pick<Engine, "ask">, prompt: ChatPrompt): Promise<string> {
  const answer = await engine.ask({ type: "render", prompt });
  if (answer.type !== "text") throw new Error("a conversation is rendered to a text");
  return answer.text;
}

const user = { role: "user", content: "Hello" } as const;

describe("the prompt settings of a model", () => {
  const chatTemplate =
    "{% for message in messages %}({{ message.role }}: {{ message.content }}){% endfor %}";

  it("apply the chat template in the engine and in the preparer process", async () => {
    const engine = await open(shippedModel, { chatTemplate });
    expect(await rendered(engine, conversation(user))).toBe("(user: Hello)");
    expect(engine.description.model.chatTemplate).toBe(chatTemplate);
    const own = await open(shippedModel);
    expect(await rendered(own, conversation(user))).not.toBe("(user: Hello)");
    const preparer = await preparerOf(shippedModel, { chatTemplate });
    expect(preparer.ask({ type: "render", prompt: conversation(user) })).toEqual({
      type: "text",
      text: "(user: Hello)",
    });
  });

  it("add the configured system message if a conversation has none", async () => {
    const engine = await open(shippedModel, { chatTemplate, systemPrompt: "Be brief." });
    expect(await rendered(engine, conversation(user))).toBe("(system: Be brief.)(user: Hello)");
    const own = { role: "system", content: "Be long." } as const;
    expect(await rendered(engine, conversation(own, user))).toBe("(system: Be long.)(user: Hello)");
    expect(engine.description.systemPrompt).toBe("Be brief.");
    const alone = await open(shippedModel, { chatTemplate });
    const tokens = async (one: Engine) => (await generate(one, "Hello")).usage?.promptTokens ?? 0;
    expect(await tokens(engine)).toBeGreaterThan(await tokens(alone));
  });

  it("render a conversation as it is evaluated, with thinking off for a reasoning budget of 0", async () => {
    const switching = "{{ 'thinks' if enable_thinking else 'answers' }}";
    const thinking = async (reasoningBudget: number) =>
      rendered(
        await open(shippedModel, { chatTemplate: switching, reasoningBudget }),
        conversation(user),
      );
    expect(await thinking(0)).toBe("answers");
    expect(await thinking(-1)).toBe("thinks");
    expect(await thinking(9)).toBe("thinks");
  });

  it("accept chatml as a name, and reject an invalid template", async () => {
    const engine = await open(shippedModel, { chatTemplate: "chatml" });
    expect(await rendered(engine, conversation(user))).toContain(
      "<|im_start|>user\nHello<|im_end|>",
    );
    await expect(open(shippedModel, { chatTemplate: "{% if %}" })).rejects.toThrow(StartupError);
  });

  it("apply a default token limit to requests without a limit", async () => {
    const engine = await open(tinyModel(), { defaults: { sampling: {}, maxTokens: 3 } });
    const tokens = async (maxTokens?: number) =>
      (await generate(engine, "Hi", { stopping: { maxTokens } })).usage?.completionTokens;
    expect(await tokens()).toBe(3);
    expect(await tokens(5)).toBe(5);
    expect(await tokens(Number.POSITIVE_INFINITY)).toBeGreaterThan(50);
  });
});

describe("the sampling recommended by a model file", () => {
  const greedy = () => modelWithMetadata("greedy", new Map([["general.sampling.temp", f32(0)]]));

  /** Answers with two seeds; greedy ones do not differ. */
  async function answers(engine: Engine, temperature?: number): Promise<readonly string[]> {
    const texts = [1, 2].map(
      async (seed) => (await generate(engine, "Hi", { sampling: { temperature, seed } })).text,
    );
    return Promise.all(texts);
  }

  it("applies to requests without sampling options", async () => {
    const [first, second] = await answers(await open(greedy()));
    expect(first).toBe(second);
    const [one, other] = await answers(await open(tinyModel()));
    expect(one).not.toBe(other);
  });

  it("is overridden by the request and by the configuration", async () => {
    const [first, second] = await answers(await open(greedy()), 1.5);
    expect(first).not.toBe(second);
    const configured = { defaults: { sampling: { temperature: 1.5 } } };
    const [one, other] = await answers(await open(greedy(), configured));
    expect(one).not.toBe(other);
    const [third, fourth] = await answers(await open(greedy(), configured), 0);
    expect(third).toBe(fourth);
  });

  it("is reported together with the configured and built-in defaults", async () => {
    const path = modelWithMetadata(
      "recommending",
      new Map([
        ["general.sampling.top_k", u32(7)],
        ["general.sampling.min_p", f32(0.25)],
        ["general.sampling.sequence", text("top_k;temperature")],
      ]),
    );
    const defaults = { sampling: { minP: 0.5 }, maxTokens: 9 };
    const { description } = await open(path, { defaults });
    expect(description.defaults).toEqual({
      maxTokens: 9,
      sampling: {
        ...samplingDefaults,
        ...{ topK: 7, minP: 0.5 },
        samplers: ["top_k", "temperature"],
      },
    });
  });
});

describe("the KV cache types of keys and values", () => {
  it("may differ, and determine the memory use", async () => {
    const bytes = async (keys: "f16" | "q8_0", values: "f16" | "q8_0") =>
      (await open(shippedModel, { kvCacheTypes: { keys, values } })).description.kvCache.bytes;
    const [f16, quantised] = [await bytes("f16", "f16"), await bytes("q8_0", "q8_0")];
    expect(await bytes("q8_0", "f16")).toBe((f16 + quantised) / 2);
    expect(await bytes("f16", "q8_0")).toBe((f16 + quantised) / 2);
  });

  it.each([
    { keys: "q8_0", values: "f16" },
    { keys: "f16", values: "q8_0" },
  ] as const)("are used by attention: %j", async (kvCacheTypes) => {
    const engine = await open(shippedModel, { kvCacheTypes });
    expect(engine.description.kvCache.type).toBe(`${kvCacheTypes.keys}/${kvCacheTypes.values}`);
    const [own, other] = [await open(shippedModel), engine];
    const [a, b] = [await generate(own, "Hello"), await generate(other, "Hello")];
    expect(b.text.slice(0, 5)).toBe(a.text.slice(0, 5));
  });
});

describe("RoPE", () => {
  const long = "a long conversation about many things ".repeat(4);

  it("is computed with the configured parameters", async () => {
    const usual = await generate(await open(tinyModel()), long);
    for (const rope of [
      { scaling: "yarn", scale: 4 },
      { scaling: "linear", freqScale: 0.25 },
      { freqBase: 100 },
    ] as const) {
      const { text: scaled } = await generate(await open(tinyModel(), { rope }), long);
      expect(scaled).not.toBe(usual.text);
    }
    const same = await open(tinyModel(), { rope: { scaling: "none" } });
    expect((await generate(same, long)).text).toBe(usual.text);
  });

  it("extends the default context size of a model", async () => {
    const size = async (settings: Partial<EngineSettings>) =>
      (await open(tinyModel(), { contextSize: undefined, ...settings })).description.model
        .contextSize;
    const usual = await size({});
    expect(await size({ rope: { scale: 2 } })).toBe(2 * usual);
  });
});

describe("--override-kv", () => {
  const override = (key: string, type: "int", value: number) => ({ key, type, value }) as const;

  it("applies in the engine, in the memory plan and in the preparer process", async () => {
    const metadataOverrides = [override("llama.context_length", "int", 96)];
    const engine = await open(tinyModel(), { metadataOverrides, contextSize: undefined });
    expect(engine.description.model).toMatchObject({ trainContextSize: 96, contextSize: 96 });
    const chat = { key: "tokenizer.chat_template", type: "str", value: "{{ 'x' }}" } as const;
    const preparer = await preparerOf(tinyModel(), { metadataOverrides: [chat] });
    expect(preparer.ask({ type: "render", prompt: conversation(user) })).toMatchObject({
      text: "x",
    });
    const bos = { key: "tokenizer.ggml.add_bos_token", type: "bool", value: true } as const;
    const tokens = async (settings: Partial<EngineSettings>) =>
      (await generate(await open(tinyModel(), settings), "Hi")).usage?.promptTokens ?? 0;
    expect(await tokens({ metadataOverrides: [bos] })).toBe((await tokens({})) + 1);
    const sampling = { key: "general.sampling.top_k", type: "int", value: 3 } as const;
    const { description } = await open(tinyModel(), { metadataOverrides: [sampling] });
    expect(description.defaults?.sampling.topK).toBe(3);
  });

  it("accepts floating-point numbers with integral values", async () => {
    const freqBase = { key: "llama.rope.freq_base", type: "float", value: 100 } as const;
    const long = "a long conversation about many things ".repeat(4);
    const overridden = await generate(
      await open(tinyModel(), { metadataOverrides: [freqBase] }),
      long,
    );
    const configured = await generate(await open(tinyModel(), { rope: { freqBase: 100 } }), long);
    expect(overridden.text).toBe(configured.text);
  });

  it.each([
    [override("llama.block_count", "int", 0), /^--override-kv: .*block_count.*expected 1 to 512/],
    [
      { key: "llama.context_length", type: "float", value: 1 } as const,
      /^--override-kv: llama.context_length: expected the type of/,
    ],
  ])("validates values like those of a model file: %j", async (wrong, message) => {
    await expect(open(tinyModel(), { metadataOverrides: [wrong] })).rejects.toThrow(message);
  });
});
