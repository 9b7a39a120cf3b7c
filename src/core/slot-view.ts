/** What a slot is doing. */
export type SlotView = IdleSlot | RunningSlot;

export interface IdleSlot {
  readonly state: "idle";
  /** Tokens that it holds for whoever continues them. */
  readonly heldTokens: number;
}

/** A slot with a generation, in tokens. */
export interface RunningSlot extends RunningTask {
  readonly state: "running";
  readonly heldTokens: number;
}

/** How far a generation is, in tokens. */
export interface RunningTask {
  /** Generations that had begun before it. */
  readonly task: number;
  readonly promptTokens: number;
  /** Of the prompt, as far as it is known: from the first event on. */
  readonly cachedTokens: number;
  /** 0 while its prompt is evaluated. */
  readonly completionTokens: number;
  readonly maxTokens: number;
}
