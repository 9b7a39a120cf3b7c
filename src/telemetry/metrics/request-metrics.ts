import type { ErrorCode } from "../../core/errors.js";
import type { GenerationStage } from "../../core/generation-stage.js";
import type {
  RequestBeginning,
  RequestEnd,
  RequestObservation,
  RequestObserver,
} from "../../core/request-observer.js";
import { type AddedTokens, AnswerMeter } from "./answer-meter.js";
import type { HttpMetrics } from "./http-metrics.js";
import type { KeyMetrics } from "./key-metrics.js";
import type { ModelMetrics } from "./model-metrics.js";

export interface RequestMetricsOptions {
  readonly http: HttpMetrics;
  readonly keys: KeyMetrics;
  readonly modelMetrics: (modelName: string) => ModelMetrics;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/** Counts requests and their answers as they come. */
export function requestMetrics(options: RequestMetricsOptions): RequestObserver {
  return { begin: (request) => new RequestMeter(request, options) };
}

class RequestMeter implements RequestObservation {
  readonly #request: RequestBeginning;
  readonly #options: RequestMetricsOptions;
  readonly #beganAtMs: number;
  readonly #answers = new Map<number, AnswerMeter>();
  /** What is to be paid for by the key, which is known when the request has ended. */
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
      this.#answers.set(choice, new AnswerMeter(metrics, stage, nowMs));
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
    http.end(this.#request, end);
    if (end.keyName !== undefined) {
      keys.request(end.keyName);
      keys.tokens(end.keyName, this.#tokens);
    }
    const code = end.errorCode ?? this.#errorCode;
    if (code !== undefined) this.#countError(code, end);
  }

  /** What runs in the background goes on when its request has ended. */
  #add(added: AddedTokens): void {
    const { prompt, generation } = this.#tokens;
    if (added.prompt === 0 && added.generation === 0) return;
    if (this.#end?.keyName !== undefined) this.#options.keys.tokens(this.#end.keyName, added);
    else {
      this.#tokens = {
        prompt: prompt + added.prompt,
        generation: generation + added.generation,
      };
    }
  }

  /** A request has one error, the first: that of its answer, if it was sent, which says more. */
  #fail(code: ErrorCode): void {
    if (this.#end === undefined) this.#errorCode ??= code;
    else if (this.#errorCode === undefined) this.#countError(code, this.#end);
  }

  #countError(code: ErrorCode, { keyName }: RequestEnd): void {
    const { http, keys } = this.#options;
    this.#errorCode = code;
    http.error(code);
    if (keyName !== undefined) keys.error(keyName);
  }
}
