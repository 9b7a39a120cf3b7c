import { beforeAll, describe, expect, it } from "vitest";
import type { GenerationRequest, PreparedRequest } from "../../src/core/generation-request.js";
import { loadVocabularyOnly } from "../../src/engine/loading/model-loading.js";
import { readModelMetadata } from "../../src/engine/loading/model-metadata.js";
import { createPreparer, type PromptPreparer } from "../../src/engine/prompt-preparer.js";
import { readVocabulary, type Vocabulary } from "../../src/engine/text/vocabulary/vocabulary.js";
import { modelWithTemplate } from "../support/random-models.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { shippedModel } from "../support/shipped-model.js";
import { buildTestApp } from "../support/test-app.js";

const CONTEXT = 100_000;

/** Tokenises prompts like a real model and records them; its answers are scripted. */
class TokenisingEngine extends ScriptedEngine {
  promptTokens: readonly number[] = [];
  readonly #preparer: PromptPreparer;

  constructor(preparer: PromptPreparer) {
    const script = () => ({ parts: ["ok"] });
    super(script, { contextSize: CONTEXT, rawScript: script });
    this.#preparer = preparer;
  }

  override prepare(request: GenerationRequest): Promise<PreparedRequest> {
    this.promptTokens = this.#preparer.prepare(request).promptTokens;
    return super.prepare(request);
  }
}

/** A request with this text in every field that contains client text. */
type RequestOf = (text: string) => object;

const key = (text: string) => ({ [text]: text });
const schemaOf = (text: string) => ({
  type: "object",
  description: text,
  properties: { [text]: { type: "string", description: text, enum: [text] } },
});
const functionOf = (text: string) => ({ name: "f", description: text, parameters: schemaOf(text) });
const calledOf = (text: string) => ({ name: text, arguments: JSON.stringify(key(text)) });

const chats: readonly (readonly [url: string, requestOf: RequestOf])[] = [
  [
    "/v1/chat/completions",
    (text) => ({
      messages: [
        { role: "system", content: text, name: text },
        {
          role: "user",
          content: [
            { type: "text", text },
            { type: "text", text },
          ],
          name: text,
        },
        {
          role: "assistant",
          content: text,
          reasoning_content: text,
          tool_calls: [
            { id: text, type: "function", function: calledOf(text) },
            { id: text, type: "custom", custom: { name: text, input: text } },
          ],
        },
        { role: "tool", content: text, tool_call_id: text, name: text },
        { role: "user", content: text },
      ],
      tools: [
        { type: "function", function: functionOf(text) },
        { type: "custom", custom: { name: "g", description: text } },
      ],
      chat_template_kwargs: { date_string: text, custom: key(text) },
    }),
  ],
  [
    "/v1/chat/completions",
    (text) => ({
      messages: [
        { role: "user", content: text },
        { role: "assistant", content: text, function_call: calledOf(text) },
        { role: "function", content: text, name: text },
        { role: "assistant", reasoning_content: text, content: text },
      ],
      functions: [functionOf(text)],
    }),
  ],
  [
    "/v1/responses",
    (text) => ({
      instructions: text,
      input: [
        { role: "user", content: text },
        { type: "reasoning", summary: [{ type: "summary_text", text }] },
        { role: "assistant", content: [{ type: "output_text", text }] },
        { type: "function_call", call_id: text, ...calledOf(text) },
        { type: "function_call_output", call_id: text, output: text },
        { role: "user", content: [{ type: "input_text", text }] },
      ],
      tools: [{ type: "function", ...functionOf(text) }],
    }),
  ],
  [
    "/v1/messages",
    (text) => ({
      max_tokens: 10,
      system: [{ type: "text", text }],
      messages: [
        { role: "user", content: text },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: text },
            { type: "text", text },
            { type: "text", text },
            { type: "tool_use", id: text, name: text, input: key(text) },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: text, content: [{ type: "text", text }] },
            { type: "text", text },
          ],
        },
      ],
      tools: [{ name: "f", description: text, input_schema: schemaOf(text) }],
    }),
  ],
  [
    "/api/chat",
    (text) => ({
      messages: [
        { role: "system", content: text },
        { role: "user", content: text },
        {
          role: "assistant",
          content: text,
          thinking: text,
          tool_calls: [{ function: { name: text, arguments: key(text) } }],
        },
        { role: "tool", content: text, tool_name: text },
      ],
      tools: [{ type: "function", function: functionOf(text) }],
    }),
  ],
  ["/api/generate", (text) => ({ system: text, prompt: text })],
];

const gaps: typeof chats = [
  [
    "/infill",
    (text) => ({
      input_prefix: text,
      prompt: text,
      input_suffix: text,
      input_extra: [{ filename: text, text }],
    }),
  ],
  ["/v1/completions", (text) => ({ prompt: text, suffix: text })],
  ["/api/generate", (text) => ({ prompt: text, suffix: text })],
];

const models = [
  { name: "the shipped model", path: () => shippedModel, requests: chats },
  {
    name: "Phi 3.5's template and vocabulary",
    path: () => modelWithTemplate("microsoft-Phi-3.5-mini-instruct", "phi-3"),
    requests: chats,
  },
  {
    name: "StarCoder's vocabulary",
    path: () => modelWithTemplate("Qwen-Qwen2.5-7B-Instruct", "starcoder"),
    requests: gaps,
  },
] as const;

describe.each(models)("with $name, a client's text", ({ path, requests }) => {
  let vocabulary: Vocabulary;
  let engine: TokenisingEngine;
  beforeAll(async () => {
    const model = await loadVocabularyOnly(path());
    vocabulary = readVocabulary(model);
    engine = new TokenisingEngine(
      createPreparer({
        vocabulary,
        metadata: readModelMetadata(model.fileInfo, "model.gguf"),
        contextSize: CONTEXT,
        settings: { toolFormat: "auto", defaults: {} },
      }),
    );
  });

  /** The control tokens of the prompt built from a request, in order. */
  async function controlTokens(url: string, body: object): Promise<readonly string[]> {
    const { app } = buildTestApp(engine);
    const response = await app.inject({ method: "POST", url, payload: { ...body, stream: false } });
    expect(response.statusCode, response.body).toBe(200);
    return engine.promptTokens.flatMap((token) => vocabulary.controlTextOf(token) ?? []);
  }

  it.each(requests)("never becomes a control token: %s", async (url, requestOf) => {
    const expected = await controlTokens(url, requestOf("a b"));
    expect(expected.length).toBeGreaterThan(0);
    const { controlTexts } = vocabulary;
    const [first = ""] = controlTexts;
    const half = Math.floor(first.length / 2);
    const hostile = [
      `a ${controlTexts.join(" ")} b`,
      controlTexts.join(""),
      controlTexts.join("\n"),
      `${first.slice(0, half)}${first}${first.slice(half)}`,
      // The halves of a control token in reverse order.
      `${first.slice(half)} a ${first.slice(0, half)}`,
    ];
    for (const text of hostile) expect(await controlTokens(url, requestOf(text))).toEqual(expected);
  });
});
