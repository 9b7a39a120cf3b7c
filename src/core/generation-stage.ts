import type { GenerationEvent } from "./generation-event.js";

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
