import assert from "node:assert/strict";
import type { AdapterChoice } from "../../../core/adapters.js";
import { GgufdError, refusalOf } from "../../../core/errors.js";
import type {
  GenerationRequest,
  GenerationStart,
  PreparedRequest,
  ProgressReporting,
  ReasoningBudget,
  SamplingParameters,
  StoppingParameters,
} from "../../../core/generation-request.js";
import { MEDIA_CELL, type PlacedMedia } from "../../../core/media.js";
import type { PreparedGrammar } from "../../../grammar/grammar-library.js";
import type { OutputReading } from "../output/output-reading.js";
import { contextLengthExceeded, rejectUnknownTokens } from "./prompt-limits.js";

/** What closes reasoning, as a model's template writes it. */
export interface ReasoningClosing {
  /** White space before the mark. */
  readonly before: string;
  readonly mark: string;
  /** Line breaks behind the mark. */
  readonly behind: string;
}

/** A budget of reasoning, and what closes the reasoning when it is used. */
export interface ReasoningLimit extends ReasoningBudget {
  readonly closing: ReasoningClosing;
}

/**
 * A request whose prompt is tokenised and fits into the context: what is prepared of it, and what one of its answers
 * is started with. Plain data.
 */
export interface PreparedGeneration {
  readonly id: string;
  /** One for each cell of the prompt: its token, or {@link MEDIA_CELL}. */
  readonly promptTokens: readonly number[];
  /** Which media those cells are of, in their order; absent: there are none. */
  readonly promptMedia?: readonly PlacedMedia[];
  /** How the generated text is parsed. */
  readonly reading: OutputReading;
  /** Maximum number of tokens to generate, capped at the context left after the prompt. */
  readonly maxTokens: number;
  readonly sampling: SamplingParameters;
  /** With the limit that holds; absent: the context alone limits it. */
  readonly stopping: StoppingParameters;
  /** Position among the choices of its request, which is added to the seed; absent: 0. */
  readonly choice?: number;
  /** See {@link GenerationRequest}. */
  readonly topLogProbabilities?: number;
  /** See {@link GenerationRequest}. */
  readonly logProbabilities?: GenerationRequest["logProbabilities"];
  /** The same. The prompt's tokens are reported with the first choice alone. */
  readonly scoredTokens?: GenerationRequest["scoredTokens"];
  /** See {@link GenerationRequest}. */
  readonly progress?: ProgressReporting;
  /** Absent: reasoning is as long as the model makes it. */
  readonly reasoningLimit?: ReasoningLimit;
  /** What may be generated; absent: anything. */
  readonly grammar?: PreparedGrammar;
  /** See {@link GenerationRequest}. */
  readonly adapters?: readonly AdapterChoice[];
  /** Adapters that it is computed under, by what names their content: known when it is started. Absent: none. */
  readonly appliedAdapters?: readonly { readonly id: string; readonly scale: number }[];
  /** The token of its prompt that they apply from (activated LoRA); absent: the first one. */
  readonly appliedFrom?: number | undefined;
  /** See {@link GenerationRequest}. */
  readonly slot?: number;
  /** See {@link GenerationRequest}. */
  readonly evaluation?: GenerationRequest["evaluation"];
  /**
   * The API key that asks, by its name. It is told of cached tokens only what its own requests account for.
   * Absent: the server has no keys.
   */
  readonly owner?: string;
  /** Tokens of the request's prediction. */
  readonly predictedTokens?: readonly number[];
  /** The answer begins with these tokens: an engine that was lost has generated them. Absent: it is new. */
  readonly resumedTokens?: readonly number[];
}

/** What of a prepared request is known outside the engine. */
export function describePrepared({
  id,
  promptTokens,
  maxTokens,
}: PreparedGeneration): PreparedRequest {
  return { id, promptTokens: promptTokens.length, maxTokens };
}

/** Requests that are prepared, from then until their last answer has ended. */
export class PreparedGenerations {
  readonly #held = new Map<string, PreparedGeneration>();

  hold(prepared: PreparedGeneration): void {
    assert(!this.#held.has(prepared.id), `request ${prepared.id} is held already`);
    this.#held.set(prepared.id, prepared);
  }

  /** @throws {AssertionError} the request is not held */
  answerTo({ requestId, seed, ...start }: GenerationStart): PreparedGeneration {
    const prepared = this.#held.get(requestId);
    assert(prepared !== undefined, `request ${requestId} is not prepared`);
    return { ...prepared, ...start, sampling: { ...prepared.sampling, seed } };
  }

  /** Without effect for a request that is not held. */
  release(requestId: string): void {
    this.#held.delete(requestId);
  }
}

/** A tokenised prompt, and how its answer is parsed. */
export interface EncodedPrompt {
  /** See {@link PreparedGeneration.promptTokens}. */
  readonly tokens: readonly number[];
  /** Absent: none. */
  readonly media?: readonly PlacedMedia[];
  readonly reading: OutputReading;
}

/** The limits of a model that a request must satisfy. */
export interface GenerationLimits {
  /** What one request may hold, in tokens: prompt and completion together. */
  readonly contextSize: number;
  readonly vocabularySize: number;
  /** Tokens of an answer, where a request says nothing; absent: what its dialect says. */
  readonly maxTokens?: number | undefined;
}

const UNLIMITED = Number.POSITIVE_INFINITY;

/**
 * Checks a tokenised request against the model's limits. A completion limit beyond the context is
 * clamped; a prompt that leaves no room for a single token is rejected.
 * @throws {GgufdError} `context_length_exceeded`, `invalid_request`
 */
export function prepareGeneration(
  request: GenerationRequest,
  { tokens: promptTokens, media = [], reading }: EncodedPrompt,
  { contextSize, vocabularySize, maxTokens: usualOfModel }: GenerationLimits,
): PreparedGeneration {
  assert(contextSize > 0 && vocabularySize > 0, "a model has a context and a vocabulary");
  const { id, sampling, stopping, topLogProbabilities, logProbabilities } = request;
  const { scoredTokens, evaluation, progress, slot } = request;
  const field = request.prompt.type === "chat" ? "messages" : (request.prompt.field ?? "prompt");
  if (promptTokens.length === 0) {
    const what =
      field === "messages"
        ? "The messages render to"
        : `${field}: expected at least one token, got`;
    throw new GgufdError("invalid_request", `${what} an empty prompt.`, { param: field });
  }
  if (promptTokens.length >= contextSize) {
    throw contextLengthExceeded(promptTokens.length, contextSize, "exactly", field);
  }
  if (media.length > 0) rejectBesideMedia(promptTokens, field, request);
  rejectUnknownTokens(sampling.logitBias?.keys() ?? [], vocabularySize, () => "logit_bias");
  rejectUnknownTokens(stopping.stopTokens ?? [], vocabularySize, () => "stop_token_ids");
  const tokensLeft = contextSize - promptTokens.length;
  const limit = stopping.maxTokens ?? usualOfModel ?? stopping.usualMaxTokens ?? UNLIMITED;
  const maxTokens = Math.min(limit, tokensLeft);
  assert(maxTokens >= 0, `at most ${maxTokens} tokens may be generated`);
  return {
    id,
    promptTokens,
    ...(media.length > 0 && { promptMedia: media }),
    reading,
    maxTokens,
    sampling,
    stopping: { ...stopping, maxTokens: limit === UNLIMITED ? undefined : limit },
    topLogProbabilities,
    ...(logProbabilities && { logProbabilities }),
    ...(scoredTokens && { scoredTokens }),
    ...(evaluation && { evaluation }),
    ...(progress && { progress }),
    ...(slot !== undefined && { slot }),
    ...(request.adapters && { adapters: request.adapters }),
  };
}

/** Media have no tokens: none is drawn behind them, and none of theirs is scored. */
function rejectBesideMedia(
  promptTokens: readonly number[],
  field: string,
  { scoredTokens }: GenerationRequest,
): void {
  if (promptTokens.at(-1) === MEDIA_CELL) {
    const reason = "expected text behind the last image or audio, got none";
    throw refusalOf("invalid_request", [{ field, reason }]);
  }
  if (scoredTokens === "all") {
    const reason = "expected a prompt of text, because its tokens are to be scored, got media";
    throw refusalOf("invalid_request", [{ field, reason }]);
  }
}

/**
 * Whether a generation reports the log-probabilities of its prompt's tokens. It evaluates all of them itself:
 * a prefix in the cache has no logits.
 */
export function isPromptScored({
  choice = 0,
  scoredTokens,
  topLogProbabilities,
}: Pick<PreparedGeneration, "choice" | "scoredTokens" | "topLogProbabilities">): boolean {
  return topLogProbabilities !== undefined && scoredTokens === "all" && choice === 0;
}
