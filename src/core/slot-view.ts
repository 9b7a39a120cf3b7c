/** What a slot is doing. */
export type SlotView = { readonly state: "idle" } | RunningSlot;

/** A slot with a generation, in tokens. */
export interface RunningSlot {
  readonly state: "running";
  /** Generations that had begun before it. */
  readonly task: number;
  readonly promptTokens: number;
  /** Of the prompt, as far as it is known: from the first event on. */
  readonly cachedTokens: number;
  /** 0 while its prompt is evaluated. */
  readonly completionTokens: number;
  readonly maxTokens: number;
}
