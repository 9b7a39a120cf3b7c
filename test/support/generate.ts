import { randomUUID } from "node:crypto";
import type { AdapterChoice } from "../../src/core/adapters.js";
import type { Engine } from "../../src/core/engine.js";
import type {
  FinishReason,
  GenerationTimings,
  TokenScore,
  TokenUsage,
} from "../../src/core/generation-event.js";
import type {
  ChatMessage,
  ChatPrompt,
  GenerationRequest,
  SamplingParameters,
  StoppingParameters,
  ToolDefinition,
} from "../../src/core/generation-request.js";
import type { OutputConstraint } from "../../src/core/output-constraint.js";
import type { EngineHooks, EngineSettings } from "../../src/engine/engine-settings.js";
import { createLlamaEngine } from "../../src/engine/llama-engine.js";
import {
  loadPreparer,
  type PreparerSettings,
  type PromptPreparer,
} from "../../src/engine/prompt-preparer.js";
import { engineSettings } from "./engine-settings.js";
import { inProcessDecoder } from "./in-process-decoder.js";
import { startRequest } from "./start-request.js";

/** Opens an engine with a real model, on one CPU thread. */
export function openEngine(
  modelPath: string,
  settings: Partial<EngineSettings> = {},
  hooks: Partial<EngineHooks> = {},
): Promise<Engine> {
  return createLlamaEngine(
    { ...engineSettings, modelPath, ...settings },
    { log: () => undefined, onProgress: () => undefined, onStepEnd: () => undefined, ...hooks },
    inProcessDecoder,
  );
}

/** Prompt preparer of a model, without its weights. */
export function preparerOf(
  modelPath: string,
  settings: Partial<PreparerSettings> = {},
): Promise<PromptPreparer> {
  return loadPreparer({
    modelPath,
    metadataOverrides: [],
    contextSize: 4096,
    toolFormat: "auto",
    defaults: {},
    ...settings,
  });
}

export interface GenerateOptions {
  readonly id?: string;
  readonly sampling?: SamplingParameters;
  readonly stopping?: Partial<StoppingParameters>;
  readonly constraint?: OutputConstraint;
  readonly prediction?: string;
  readonly tools?: readonly ToolDefinition[];
  readonly templateVariables?: ChatPrompt["templateVariables"];
  readonly topLogProbabilities?: number;
  readonly adapters?: readonly AdapterChoice[];
}

export interface Answer {
  readonly text: string;
  /** Scores of the text's tokens, if requested. */
  readonly scores: readonly TokenScore[];
  readonly deltas: readonly string[];
  readonly reason: FinishReason | "cancelled";
  readonly usage: TokenUsage | undefined;
  readonly timings: GenerationTimings | undefined;
}

/** Runs one generation to its end. Defaults: greedy sampling, 20 tokens. */
export async function generate(
  engine: Engine,
  prompt: string | readonly ChatMessage[],
  options: GenerateOptions = {},
): Promise<Answer> {
  const { id = randomUUID(), sampling = {}, stopping = {}, constraint, prediction } = options;
  const { tools = [], templateVariables = {}, topLogProbabilities, adapters } = options;
  const messages: readonly ChatMessage[] =
    typeof prompt === "string" ? [{ role: "user", content: prompt }] : prompt;
  const request: GenerationRequest = {
    id,
    prompt: { type: "chat", messages, tools, templateVariables },
    sampling: { temperature: 0, ...sampling },
    stopping: { maxTokens: 20, minTokens: 0, stop: [], ignoreEos: true, ...stopping },
    ...(constraint && { constraint: { constraint, field: "response_format" } }),
    ...(prediction !== undefined && { prediction }),
    ...(topLogProbabilities !== undefined && { topLogProbabilities }),
    ...(adapters !== undefined && { adapters }),
  };
  const deltas: string[] = [];
  const scores: TokenScore[] = [];
  return new Promise((resolve, reject) => {
    startRequest(engine, request, (event) => {
      switch (event.type) {
        case "text-delta":
          scores.push(...(event.scores ?? []));
          deltas.push(event.text);
          break;
        case "reasoning-delta":
          deltas.push(event.text);
          break;
        case "tool-call-begin":
        case "tool-call-arguments":
          break;
        case "finished":
          resolve({
            text: deltas.join(""),
            scores,
            deltas,
            reason: event.reason,
            usage: event.usage,
            timings: event.timings,
          });
          break;
        case "cancelled":
          resolve({
            text: deltas.join(""),
            scores,
            deltas,
            reason: "cancelled",
            usage: undefined,
            timings: undefined,
          });
          break;
        case "failed":
          reject(event.error);
      }
    }).catch(reject);
  });
}
