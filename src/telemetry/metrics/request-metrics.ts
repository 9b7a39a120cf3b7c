import type { ErrorCode } from "../../core/errors.js";
import type { FinishReason, GenerationEvent } from "../../core/generation-event.js";
import type {
  GenerationStage,
  RequestBeginning,
  RequestEnd,
  RequestObservation,
  RequestObserver,
} from "../../core/request-observer.js";
import type { AddedTokens, HttpMetrics, KeyMetrics } from "./http-metrics.js";
import type { AnswerTotals } from "./llama-server-metrics.js";
import type { FinishedReason, ModelMetrics } from "./model-metrics.js";
import type { AdapterUse } from "./model-server-metrics.js";

export interface RequestMetricsOptions {
  readonly http: HttpMetrics;
  readonly keys: KeyMetrics;
  readonly modelMetrics: (modelName: string) => ModelMetrics;
  /** Adds up the answers of all models. */
  readonly totals: AnswerTotals;
  readonly adapterUse: AdapterUse;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/** Counts requests and their answers as they occur. */
export function createRequestMetrics(options: RequestMetricsOptions): RequestObserver {
  return { begin: (request) => new RequestMeter(request, options) };
}

class RequestMeter implements RequestObservation {
  readonly #request: RequestBeginning;
  readonly #options: RequestMetricsOptions;
  readonly #beganAtMs: number;
  readonly #answers = new Map<number, AnswerMeter>();
  /** Tokens to charge to the key, which is known only when the request has ended. */
  #tokens: AddedTokens = { prompt: 0, generation: 0 };
  #end: RequestEnd | undefined;
  #errorCode: ErrorCode | undefined;

  constructor(request: RequestBeginning, options: RequestMetricsOptions) {
    this.#request = request;
    this.#options = options;
    this.#beganAtMs = options.now();
  }

  readonly observe = (choice: number, stage: GenerationStage): void => {
    const nowMs = this.#options.now() - this.#beganAtMs;
    const answer = this.#answers.get(choice);
    if (stage.type === "waiting") {
      if (answer !== undefined) return;
      const metrics = this.#options.modelMetrics(stage.model);
      const { totals, adapterUse } = this.#options;
      const isOfBatch = this.#request.batchId !== undefined;
      const options = { metrics, totals, adapterUse, isOfBatch };
      this.#answers.set(choice, new AnswerMeter(options, stage, nowMs));
      return;
    }
    if (answer === undefined) return;
    this.#add(answer.observe(stage, nowMs));
    if (stage.type === "event" && stage.event.type === "failed") {
      this.#fail(stage.event.error.code);
    }
  };

  end(end: RequestEnd): void {
    const { http, keys } = this.#options;
    this.#end = end;
    http.countRequest(this.#request, end);
    if (end.keyName !== undefined) {
      keys.countKeyRequest(end.keyName);
      keys.countKeyTokens(end.keyName, this.#tokens);
    }
    const code = end.errorCode ?? this.#errorCode;
    if (code !== undefined) this.#countError(code, end);
  }

  /** Counts tokens immediately if the request has ended, as for background work. */
  #add(added: AddedTokens): void {
    const { prompt, generation } = this.#tokens;
    if (added.prompt === 0 && added.generation === 0) return;
    if (this.#end?.keyName !== undefined)
      this.#options.keys.countKeyTokens(this.#end.keyName, added);
    else {
      this.#tokens = {
        prompt: prompt + added.prompt,
        generation: generation + added.generation,
      };
    }
  }

  /** Counts one error per request: the one that was sent to the client, if any, else the first. */
  #fail(code: ErrorCode): void {
    if (this.#end === undefined) this.#errorCode ??= code;
    else if (this.#errorCode === undefined) this.#countError(code, this.#end);
  }

  #countError(code: ErrorCode, { keyName }: RequestEnd): void {
    const { http, keys } = this.#options;
    this.#errorCode = code;
    http.countError(code);
    if (keyName !== undefined) keys.countKeyError(keyName);
  }
}

type WaitingStage = Extract<GenerationStage, { type: "waiting" }>;

const NO_TOKENS: AddedTokens = { prompt: 0, generation: 0 };

const FINISHED_REASON_NAMES: Readonly<Record<FinishReason, FinishedReason>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
};

interface AnswerMeterOptions {
  readonly metrics: ModelMetrics;
  readonly totals: AnswerTotals;
  readonly adapterUse: AdapterUse;
  readonly isOfBatch: boolean;
}

/**
 * Measures one answer from its admission to its end. Times are in milliseconds since its request
 * arrived.
 */
class AnswerMeter {
  readonly #metrics: ModelMetrics;
  readonly #totals: AnswerTotals;
  readonly #adapterUse: AdapterUse;
  readonly #adapters: readonly string[];
  readonly #isOfBatch: boolean;
  readonly #sharesPrompt: boolean;
  readonly #waitingAtMs: number;
  #state: "waiting" | "running" | "ended" = "waiting";
  /** Whether the prompt has been counted. */
  #isPromptCounted = false;
  #generatedTokens = 0;
  #firstTokenAtMs = 0;
  #lastTokenAtMs = 0;

  constructor(
    { metrics, totals, adapterUse, isOfBatch }: AnswerMeterOptions,
    { sharesPrompt, adapters = [] }: WaitingStage,
    nowMs: number,
  ) {
    this.#metrics = metrics;
    this.#totals = totals;
    this.#adapterUse = adapterUse;
    this.#adapters = adapters;
    this.#isOfBatch = isOfBatch;
    this.#sharesPrompt = sharesPrompt ?? false;
    this.#waitingAtMs = nowMs;
    metrics.waiting.inc();
    adapterUse.add("waiting", adapters);
  }

  /** @returns the tokens that this stage added to the request */
  observe(stage: Exclude<GenerationStage, WaitingStage>, nowMs: number): AddedTokens {
    if (this.#state === "ended") return NO_TOKENS;
    switch (stage.type) {
      case "running":
        this.#begin(nowMs);
        return NO_TOKENS;
      case "paused":
        return NO_TOKENS;
      case "event":
        return this.#count(stage.event, nowMs);
      case "pooled": {
        const prompt = this.#countPrompt(stage.promptTokens);
        this.#metrics.requestPromptTokens.observe(stage.promptTokens);
        this.#metrics.endToEnd.observe(nowMs / 1000);
        this.#end("stop");
        return { prompt, generation: 0 };
      }
    }
  }

  #begin(nowMs: number): void {
    if (this.#state !== "waiting") return;
    this.#state = "running";
    const { queueTime, running, waiting } = this.#metrics;
    queueTime.observe((nowMs - this.#waitingAtMs) / 1000);
    waiting.dec();
    running.inc();
    this.#adapterUse.remove("waiting", this.#adapters);
    this.#adapterUse.add("running", this.#adapters);
  }

  #count(event: GenerationEvent, nowMs: number): AddedTokens {
    if (event.type === "cancelled" || event.type === "failed") {
      this.#end(event.type === "failed" ? "error" : "abort");
      return NO_TOKENS;
    }
    const { promptTokens, completionTokens } = event.usage;
    const prompt = this.#countPrompt(promptTokens);
    const generation = this.#countTokens(completionTokens, nowMs);
    if (event.type === "finished") this.#finish(event, nowMs);
    return { prompt, generation };
  }

  #countPrompt(tokens: number): number {
    if (this.#isPromptCounted) return 0;
    this.#isPromptCounted = true;
    if (this.#sharesPrompt) return 0;
    this.#metrics.promptTokens.inc(tokens);
    if (this.#isOfBatch) this.#metrics.batchPromptTokens.inc(tokens);
    return tokens;
  }

  #countTokens(completionTokens: number, nowMs: number): number {
    const addedTokens = completionTokens - this.#generatedTokens;
    if (addedTokens <= 0) return 0;
    const { generationTokens, batchGenerationTokens, interToken, ttft } = this.#metrics;
    generationTokens.inc(addedTokens);
    if (this.#isOfBatch) batchGenerationTokens.inc(addedTokens);
    let intervals = addedTokens;
    if (this.#generatedTokens === 0) {
      ttft.observe(nowMs / 1000);
      this.#firstTokenAtMs = nowMs;
      this.#lastTokenAtMs = nowMs;
      intervals--;
    }
    const seconds = (nowMs - this.#lastTokenAtMs) / 1000 / intervals;
    for (let count = 0; count < intervals; count++) interToken.observe(seconds);
    this.#generatedTokens = completionTokens;
    this.#lastTokenAtMs = nowMs;
    return addedTokens;
  }

  #finish(
    { reason, timings, usage }: Extract<GenerationEvent, { type: "finished" }>,
    nowMs: number,
  ): void {
    const metrics = this.#metrics;
    this.#totals.add({ timings, usage }, this.#sharesPrompt);
    metrics.prefillTime.observe(timings.prefillMs / 1000);
    metrics.decodeTime.observe(timings.decodeMs / 1000);
    metrics.endToEnd.observe(nowMs / 1000);
    metrics.requestPromptTokens.observe(usage.promptTokens);
    metrics.requestGenerationTokens.observe(usage.completionTokens);
    const followers = this.#generatedTokens - 1;
    if (followers > 0) {
      const decodeMs = this.#lastTokenAtMs - this.#firstTokenAtMs;
      metrics.timePerOutputToken.observe(decodeMs / 1000 / followers);
    }
    this.#end(FINISHED_REASON_NAMES[reason]);
  }

  #end(reason: FinishedReason): void {
    const { finished, running, waiting } = this.#metrics;
    if (this.#state === "waiting") waiting.dec();
    if (this.#state === "running") running.dec();
    if (this.#state !== "ended") this.#adapterUse.remove(this.#state, this.#adapters);
    this.#state = "ended";
    finished[reason].inc();
  }
}
