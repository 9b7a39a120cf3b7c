import type { GenerationEvent } from "./generation-event.js";

/** What has become of a generation, as the scheduler tells whoever follows it. */
export type GenerationStage =
  /** Prepared and admitted: it waits for a slot. */
  | { readonly type: "waiting"; readonly model: string; readonly promptTokens: number }
  /** It has left the queue for the engine. */
  | { readonly type: "running" }
  | { readonly type: "event"; readonly event: GenerationEvent };

/** Follows the generations of one request. Never throws. @param choice position among its answers */
export type ObserveGeneration = (choice: number, stage: GenerationStage) => void;
