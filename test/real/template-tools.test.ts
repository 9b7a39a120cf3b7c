import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../src/core/engine.js";
import type { GenerationEvent } from "../../src/core/generation-event.js";
import type {
  ChatMessage,
  ChatPrompt,
  GenerationRequest,
} from "../../src/core/generation-request.js";
import { StartupError } from "../../src/core/startup-error.js";
import { loadVocabulary } from "../../src/engine/grammar-vocabulary.js";
import type { PromptPreparer } from "../../src/engine/prompt-preparer.js";
import { GeneratedText } from "../../src/engine/text/output/generated-text.js";
import { OutputParser } from "../../src/engine/text/output/output-parser.js";
import type { PreparedGeneration } from "../../src/engine/text/prompt/prepared-generation.js";
import type { Vocabulary } from "../../src/engine/text/vocabulary/vocabulary.js";
import { openEngine, preparerOf } from "../support/generate.js";
import { modelWithTemplate } from "../support/random-models.js";
import { startRequest } from "../support/start-request.js";

const tool = {
  name: "add",
  description: "Adds",
  parameters: {
    type: "object",
    properties: {
      n: { type: "integer" },
      text: { type: "string" },
      x: { type: "number" },
      y: { type: "number" },
    },
  },
};
const args = '{"n": 1234567890123456789, "text": "é 字 \\"q\\"", "x": 1.0, "y": 1e400}';
const question: ChatMessage = { role: "user", content: "Add" };
const call: ChatMessage = {
  role: "assistant",
  content: "",
  toolCalls: [{ id: "call00001", name: tool.name, arguments: args }],
};

const request = (
  messages: readonly ChatMessage[],
  tools: ChatPrompt["tools"] = [tool],
): GenerationRequest => ({
  id: "a",
  prompt: { type: "chat", messages, tools, templateVariables: {} },
  sampling: { seed: 1 },
  stopping: { minTokens: 0, stop: [], ignoreEos: true, maxTokens: 30 },
});

/** The text of tokens, control tokens by name. */
function textOf(tokens: readonly number[], { bytesOf, controlTextOf }: Vocabulary): string {
  const bytes = tokens.map((token) => {
    const name = controlTextOf(token);
    return name === undefined ? Buffer.from(bytesOf(token)) : Buffer.from(name);
  });
  return Buffer.concat(bytes).toString();
}

/** Parsed form of a text that the model generates after a prompt, in tokens of its vocabulary. */
function read(output: string, { reading }: PreparedGeneration, vocabulary: Vocabulary) {
  const { bytesOf, controlTextOf } = vocabulary;
  const text = new GeneratedText({ bytesOf, controlTextOf, stop: [], minTokens: 0 });
  const parser = new OutputParser(reading);
  return vocabulary
    .tokenize(output, "parsed")
    .flatMap((token) => text.push(token).pieces.flatMap((piece) => parser.push(piece)));
}

describe.each([
  ["Qwen3-Coder", undefined, "qwen3-coder"],
  ["openai-gpt-oss-120b", undefined, "gpt-oss"],
  ["google-gemma-4-31B-it", undefined, "gemma4"],
  ["mistralai-Mistral-Nemo-Instruct-2407", "llama-spm", "mistral-list"],
  ["microsoft-Phi-3.5-mini-instruct", "phi-3", "generic"],
] as const)("a model with the template %s (tokenizer: %s)", (template, tokenizer, convention) => {
  let engine: Engine;
  let vocabulary: Vocabulary;
  let preparer: PromptPreparer;
  beforeAll(async () => {
    const path = modelWithTemplate(template, tokenizer);
    engine = await openEngine(path, { contextSize: 2048, slots: 1 });
    vocabulary = await loadVocabulary(path);
    preparer = await preparerOf(path, { contextSize: 2048 });
  });
  afterAll(() => engine.close());

  it("has the tool format of the template", () => {
    expect(engine.description.outputFormat.convention).toBe(convention);
  });

  it("parses a call in the format that its prompt requests, in the tokens of its vocabulary", async () => {
    const asked = preparer.prepare(request([question]));
    const called = preparer.prepare(request([question, call]));
    const prompt = textOf(asked.promptTokens, vocabulary);
    const conversation = textOf(called.promptTokens, vocabulary);
    expect(conversation.startsWith(prompt)).toBe(true);
    const parts = read(conversation.slice(prompt.length), asked, vocabulary);
    expect(parts.flatMap((part) => (part.type === "tool-call-begin" ? [part.name] : []))).toEqual([
      tool.name,
    ]);
    const written = parts.flatMap((part) => (part.type === "tool-call-arguments" ? part.text : []));
    expect(written.join("").replaceAll(/([:,]) /g, "$1")).toBe(args.replaceAll(/([:,]) /g, "$1"));
  });

  it("generates with tools", async () => {
    const asked = request([question]);
    expect(preparer.prepare(asked).reading).toMatchObject({ convention, toolCalls: "parsed" });
    const last = await new Promise<GenerationEvent>((resolve, reject) => {
      startRequest(engine, asked, (event) => {
        if (event.type === "finished" || event.type === "failed") resolve(event);
      }).catch(reject);
    });
    expect(last).toMatchObject({ type: "finished", usage: { completionTokens: 30 } });
  });
});

describe("--tool-format", () => {
  it("overrides the tool format of the template", async () => {
    const path = modelWithTemplate("Qwen3-Coder");
    const engine = await openEngine(path, { contextSize: 2048, slots: 1, toolFormat: "glm" });
    const preparer = await preparerOf(path, { contextSize: 2048, toolFormat: "glm" });
    const { reading } = preparer.prepare(request([question]));
    expect([reading.convention, engine.description.outputFormat.convention]).toEqual([
      "glm",
      "glm",
    ]);
    await engine.close();
  });

  it("is rejected at startup if the prompt would not request calls in that format", async () => {
    const path = modelWithTemplate("microsoft-Phi-3.5-mini-instruct");
    await expect(openEngine(path, { toolFormat: "hermes" })).rejects.toThrow(StartupError);
  });
});
