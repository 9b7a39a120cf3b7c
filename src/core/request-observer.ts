import type { ErrorCode } from "./errors.js";
import type { GenerationEvent } from "./generation-event.js";

/** What answers are, by the names of OpenTelemetry's semantic conventions, which have none for the last one yet. */
export type AnswerOperation = "chat" | "text_completion" | "embeddings" | "rerank";

/** A request as it comes in. */
export interface RequestBeginning {
  readonly id: string;
  readonly method: string;
  /** As the client wrote it, without its query. */
  readonly path: string;
  /** The path that answered, where a version header named another one than `path`. */
  readonly answeredAs?: string;
  /** Of the client itself, as far as the proxies in between are trusted. */
  readonly clientAddress: string;
  /** The route's pattern, `/v1/models/:id`; absent: there is none at this path. */
  readonly route?: string;
  /** Absent: the route makes no answers. */
  readonly operation?: AnswerOperation;
  /** W3C trace context of the client, as it came. */
  readonly traceParent?: string;
  readonly traceState?: string;
}

/** How a request has ended. */
export interface RequestEnd {
  readonly status: number;
  /** Of the error that it was answered with, in its status or as the last event of its stream. */
  readonly errorCode?: ErrorCode;
  /** The name of the API key that was presented. */
  readonly keyName?: string;
  /** From the first byte of its head to the last of its answer, in milliseconds. */
  readonly durationMs: number;
  /** Whether the client hung up before its answer was complete. */
  readonly delivery: "complete" | "cut-by-client";
}

/** One observer's view of one request. Its functions never throw. */
export interface RequestObservation {
  readonly observe: ObserveGeneration;
  /** Headers to answer with, such as `traceparent`. */
  readonly responseHeaders?: Readonly<Record<string, string>>;
  end(end: RequestEnd): void;
}

/** Follows requests from their first byte to their last: metrics, the access log, traces. */
export interface RequestObserver {
  begin(request: RequestBeginning): RequestObservation;
}

/**
 * What has become of a generation, as the scheduler tells whoever follows it. What has begun to wait has exactly one
 * last stage, however it ends: `pooled`, or an event that is final. Gauges count on it.
 */
export type GenerationStage =
  /** Prepared and admitted: it waits for a slot. */
  | {
      readonly type: "waiting";
      readonly model: string;
      readonly promptTokens: number;
      /** Names of the tools that its prompt offers; absent: none. */
      readonly tools?: readonly string[];
      /** Its prompt is that of the choice before it, and counted there. */
      readonly sharesPrompt?: true;
    }
  /** It has left the queue for the engine. */
  | { readonly type: "running" }
  | { readonly type: "event"; readonly event: GenerationEvent }
  /** The last stage of inputs that were pooled: of events they have at most a failure or a cancellation. */
  | { readonly type: "pooled"; readonly promptTokens: number };

/** Follows the generations of one request. Never throws. @param choice position among its answers */
export type ObserveGeneration = (choice: number, stage: GenerationStage) => void;
