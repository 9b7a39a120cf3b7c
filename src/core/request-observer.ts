import type { ErrorCode } from "./errors.js";
import type { GenerationEvent } from "./generation-event.js";
import type { MediaAmount } from "./media.js";

/**
 * Kind of answer, by OpenTelemetry's semantic conventions, which do not define `rerank` yet.
 */
export type AnswerOperation = "chat" | "text_completion" | "embeddings" | "rerank";

/** Request at its arrival. */
export interface RequestBeginning {
  readonly id: string;
  readonly method: string;
  /** Path as the client wrote it, without its query. */
  readonly path: string;
  /** Path that was answered, if a version header selected a path other than `path`. */
  readonly answeredAs?: string;
  /** Address of the client itself, as far as the proxies in between are trusted. */
  readonly clientAddress: string;
  /** Route pattern, such as `/v1/models/:id`; absent: no route has this path. */
  readonly route?: string;
  /** Absent if the route makes no answers. */
  readonly operation?: AnswerOperation;
  /** Id of the batch that the request is a line of. */
  readonly batchId?: string;
  /** W3C trace context of the client, unchanged. */
  readonly traceParent?: string;
  readonly traceState?: string;
}

/** Outcome of a request. */
export interface RequestEnd {
  readonly status: number;
  /** Code of the error that was sent, in the status or as the last event of a stream. */
  readonly errorCode?: ErrorCode;
  /** Name of the API key that was presented. */
  readonly keyName?: string;
  /**
   * Time from the first byte of the request's head to the last byte of its answer, in milliseconds.
   */
  readonly durationMs: number;
  /** Whether the client disconnected before its answer was complete. */
  readonly delivery: "complete" | "cut-by-client";
}

/** One observer's view of one request. Its functions never throw. */
export interface RequestObservation {
  readonly observe: ObserveGeneration;
  /** Headers to add to the answer, such as `traceparent`. */
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /**
   * Receives the parsed body of a request to a model, unchanged by its handler, if the server logs
   * content and the key has not opted out.
   */
  receiveBody?(body: unknown): void;
  end(end: RequestEnd): void;
}

/** Follows requests from their first byte to their last: metrics, the access log, traces. */
export interface RequestObserver {
  begin(request: RequestBeginning): RequestObservation;
}

/**
 * Stage of a generation, as the scheduler reports it to observers. Each generation that has begun
 * to wait has exactly one last stage, however it ends: `pooled`, or a final event. Gauges rely on
 * it.
 */
export type GenerationStage =
  /** The generation is prepared and admitted, and waits for a slot. */
  | {
      readonly type: "waiting";
      readonly model: string;
      /** Name of the API key; absent: the server has no keys. */
      readonly keyName?: string;
      readonly promptTokens: number;
      /** Names of the tools that the prompt offers; absent: none. */
      readonly tools?: readonly string[];
      /** Names of the chosen LoRA adapters; absent: none. */
      readonly adapters?: readonly string[];
      /** Media of the prompt; absent: none. */
      readonly media?: MediaAmount;
      /** The prompt is that of the previous choice, and is counted there. */
      readonly sharesPrompt?: true;
    }
  /** The generation has left the queue for the engine, for the first time or again. */
  | { readonly type: "running" }
  /** The generation has left the engine, and continues later. */
  | { readonly type: "paused" }
  | { readonly type: "event"; readonly event: GenerationEvent }
  /** Last stage of pooled inputs, whose only possible event is a failure or a cancellation. */
  | { readonly type: "pooled"; readonly promptTokens: number };

/**
 * Observes the generations of one request. Never throws.
 * @param choice position among its answers
 */
export type ObserveGeneration = (choice: number, stage: GenerationStage) => void;
