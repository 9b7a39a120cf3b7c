/** Pattern of names of saved states: valid on every file system, and never a path. */
export const STATE_NAME_PATTERN = /^[A-Za-z0-9_]([A-Za-z0-9_. -]{0,98}[A-Za-z0-9_-])?$/;

/** Operation that an operator requests on a slot. Plain data. */
export type SlotCommand =
  /** Writes the slot's state to a file. */
  | { readonly action: "save"; readonly slot: number; readonly name: string }
  /** Replaces the slot's state with the contents of a file. */
  | { readonly action: "restore"; readonly slot: number; readonly name: string }
  /** Clears the slot's state. */
  | { readonly action: "erase"; readonly slot: number };

/** Outcome of a slot command. Plain data. */
export interface SlotOutcome {
  /** Number of tokens written, read or cleared. */
  readonly tokens: number;
  /** Size of the file; 0 if there is none. */
  readonly bytes: number;
  /** Duration, excluding the wait for a generation to end. */
  readonly elapsedMs: number;
}

/** Slot as the engine reports it. Plain data. */
export interface EngineSlot {
  readonly heldTokens: number;
  /** Id of the generation that occupies the slot; absent if the slot is idle. */
  readonly generation?: string;
  /** Index of the replica that has the slot; absent: the model has one engine. */
  readonly replica?: number;
}
