import type { GenerationEvent } from "../../../core/generation-event.js";
import type { UnnumberedEvent } from "./event-schema.js";
import type { ItemStatus, OutputItem } from "./response-schema.js";

export type TextDelta = Extract<GenerationEvent, { type: "text-delta" }>;
export type ReasoningDelta = Extract<GenerationEvent, { type: "reasoning-delta" }>;
export type CallBegin = Extract<GenerationEvent, { type: "tool-call-begin" }>;

/** The end of an item: its last events, and the item as it stays. */
export interface ClosedItem {
  readonly events: readonly UnnumberedEvent[];
  readonly item: OutputItem;
}

/** An output item that is being written. */
export interface OpenItem {
  readonly kind: "message" | "reasoning" | "call";
  /** Its first events. */
  open(): readonly UnnumberedEvent[];
  close(status: ItemStatus): ClosedItem;
}
