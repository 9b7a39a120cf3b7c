import { describe, expect, it } from "vitest";
import type { ChatMessage, ReasoningBudget } from "../../../../../src/core/generation-request.js";
import { chooseOutputFormat } from "../../../../../src/engine/text/output/choose-output-format.js";
import type { OutputReading } from "../../../../../src/engine/text/output/output-reading.js";
import { PromptTokenizer } from "../../../../../src/engine/text/prompt/prompt-tokenizer.js";
import {
  determineReasoningClosing,
  withReasoningBudget,
} from "../../../../../src/engine/text/prompt/reasoning-budget.js";
import { LetterVocabulary } from "../letter-vocabulary.js";
import { bundledTemplate, templateNames } from "./bundled-templates.js";

type BeginsWith = OutputReading["beginsWith"];

/**
 * Beginnings of answers by default and with thinking off, and the text that closes reasoning.
 * Templates that are not listed render no reasoning.
 */
const TABLE: Readonly<Record<string, readonly [BeginsWith, off: BeginsWith, closing: string]>> = {
  "Apriel-1.6-15b-Thinker-fixed": ["reasoning", "reasoning", "\n[BEGIN FINAL RESPONSE]\n"],
  "Bielik-11B-v3.0-Instruct": ["reasoning", "anything", "\n</think>\n"],
  "ByteDance-Seed-OSS": ["optional-reasoning", "optional-reasoning", "</seed:think>\n"],
  Cohere2MoE: ["reasoning", "reasoning", "<|END_THINKING|>"],
  "CohereForAI-c4ai-command-r7b-12-2024-tool_use": [
    "optional-reasoning",
    "anything",
    "<|END_THINKING|>",
  ],
  "GLM-4.6": ["optional-reasoning", "anything", "</think>\n"],
  "GLM-4.7-Flash": ["reasoning", "anything", "</think>"],
  "HuggingFaceTB-SmolLM3-3B": ["optional-reasoning", "anything", "\n</think>\n"],
  "Kimi-K2-Thinking": ["optional-reasoning", "optional-reasoning", "</think>"],
  "Kimi-K3": ["reasoning", "reasoning", "<|close|>think<|sep|>"],
  "LFM2.5-8B-A1B": ["optional-reasoning", "optional-reasoning", "</think>"],
  "MiniMax-M2": ["reasoning", "reasoning", "\n</think>\n\n"],
  "MiniMax-M3": ["optional-reasoning", "optional-reasoning", "</mm:think>"],
  "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": ["reasoning", "anything", "\n</think>\n"],
  "NVIDIA-Nemotron-Nano-v2": ["reasoning", "reasoning", "\n</think>\n\n"],
  "Qwen-QwQ-32B": ["reasoning", "anything", "\n</think>\n\n"],
  "Qwen-Qwen3-0.6B": ["optional-reasoning", "anything", "\n</think>\n\n"],
  "Qwen3.5-4B": ["reasoning", "anything", "\n</think>\n\n"],
  "Reka-Edge": ["reasoning", "anything", "\n</think>\n\n"],
  "Spark2.5": ["reasoning", "anything", "</think>"],
  "StepFun3.5-Flash": ["reasoning", "reasoning", "\n</think>\n"],
  "deepseek-ai-DeepSeek-R1-Distill-Llama-8B": ["reasoning", "reasoning", "\n</think>\n\n"],
  "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B": ["reasoning", "anything", "\n</think>\n\n"],
  "deepseek-ai-DeepSeek-V3.1": ["reasoning", "anything", "</think>"],
  "deepseek-ai-DeepSeek-V3.2": ["reasoning", "anything", "</think>"],
  "deepseek-ai-DeepSeek-V4": ["reasoning", "anything", "</think>"],
  "deepseek-ai-DeepSeek-V4-Flash-0731": ["reasoning", "anything", "</think>"],
  "google-gemma-4-31B-it": ["optional-reasoning", "anything", "<channel|>"],
  "google-gemma-4-31B-it-interleaved": ["optional-reasoning", "anything", "<channel|>"],
  "inclusionai-ling-3.0-flash": ["reasoning", "anything", "</think>"],
  "llama-cpp-deepseek-r1": ["reasoning", "reasoning", "\n</think>\n\n"],
  "llama-cpp-rwkv-world": ["reasoning", "anything", "</think>"],
  "mistralai-Ministral-3-14B-Reasoning-2512": [
    "optional-reasoning",
    "optional-reasoning",
    "[/THINK]",
  ],
  "muse-glimmer": ["optional-reasoning", "optional-reasoning", "<|eom|>"],
  "openai-gpt-oss-120b": ["optional-reasoning", "optional-reasoning", "<|end|>"],
  "openbmb-MiniCPM5-1B": ["reasoning", "anything", "\n</think>\n\n"],
  "poolside-Laguna-S-2.1": ["reasoning", "anything", "</think>"],
  "poolside-Laguna-XS-2.1": ["reasoning", "anything", "\n</think>\n"],
  "poolside-Laguna-XS.2": ["reasoning", "anything", "\n</think>\n"],
  "tencent-Hy3": ["anything", "anything", "</think:opensource>"],
  "upstage-Solar-Open-100B": ["optional-reasoning", "optional-reasoning", "<|end|>"],
};

const USER: ChatMessage = { role: "user", content: "Hi" };

function opened(name: string) {
  const template = bundledTemplate(name);
  const outputFormat = chooseOutputFormat(template, "auto");
  const vocabulary = new LetterVocabulary([]);
  const tokenizer = new PromptTokenizer(vocabulary, {
    template,
    outputFormat,
    contextSize: 1_000_000,
  });
  return {
    closing: determineReasoningClosing(template.answerForm, outputFormat.reasoning),
    beginsWith(
      templateVariables: Readonly<Record<string, unknown>>,
      budget?: ReasoningBudget,
      messages: readonly ChatMessage[] = [USER],
    ) {
      const prompt = withReasoningBudget(
        { type: "chat", messages, tools: [], templateVariables },
        budget,
      );
      return tokenizer.encode(prompt).reading.beginsWith;
    },
  };
}

describe.each(templateNames)("the template %s", (name) => {
  const [byDefault, off] = TABLE[name] ?? ["anything", "anything"];
  const template = opened(name);

  it(`starts answers with ${byDefault}, or with ${off} if thinking is off`, () => {
    expect(template.beginsWith({})).toBe(byDefault);
    expect(template.beginsWith({ enable_thinking: false })).toBe(off);
    expect(template.beginsWith({ reasoning_effort: "none" })).toBe(off);
  });

  it("treats a budget of 0 as thinking off if it has a thinking switch", () => {
    const withoutSwitch = off === "anything" || name === "ByteDance-Seed-OSS" ? "anything" : off;
    expect(template.beginsWith({}, { maxTokens: 0 })).toBe(withoutSwitch);
  });
});

it.each(Object.entries(TABLE))(
  "the template %s closes reasoning with the mark that it renders",
  (name, row) => {
    const [, , closing] = row;
    const { before, mark, lineBreaksAfter } = opened(name).closing;
    expect(before + mark + lineBreaksAfter).toBe(closing);
  },
);

it("a low effort closes the reasoning of Solar, before the header of the answer", () => {
  const template = opened("upstage-Solar-Open-100B");
  expect(template.beginsWith({ reasoning_effort: "low" })).toBe("anything");
});

it("a high effort opens the reasoning of Hunyuan", () => {
  expect(opened("tencent-Hy3").beginsWith({ reasoning_effort: "high" })).toBe("reasoning");
});

it("a continued answer allows no further reasoning", () => {
  for (const name of templateNames) {
    const template = opened(name);
    const begun = (answer: Partial<Extract<ChatMessage, { role: "assistant" }>>) =>
      template.beginsWith({}, undefined, [USER, { role: "assistant", content: "", ...answer }]);
    expect(begun({ content: "a" })).toBe("text");
    expect(begun({ content: "a", reasoning: "b" })).toBe("text");
  }
});
