/** What a name of a saved state may be: one on every file system, and never a path. */
export const STATE_NAME_PATTERN = /^[A-Za-z0-9_]([A-Za-z0-9_. -]{0,98}[A-Za-z0-9_-])?$/;

/** What an operator asks of a slot. Plain data. */
export type SlotCommand =
  /** Writes what it holds to a file. */
  | { readonly action: "save"; readonly slot: number; readonly name: string }
  /** Replaces what it holds with what a file has. */
  | { readonly action: "restore"; readonly slot: number; readonly name: string }
  /** Forgets what it holds. */
  | { readonly action: "erase"; readonly slot: number };

/** What has become of it. Plain data. */
export interface SlotOutcome {
  /** That were written, read or forgotten. */
  readonly tokens: number;
  /** Of the file; 0 of none. */
  readonly bytes: number;
  /** Without the time that it waited for a generation. */
  readonly elapsedMs: number;
}

/** A slot as the engine sees it. Plain data. */
export interface EngineSlot {
  readonly heldTokens: number;
  /** The id of the generation that has it; absent: it is idle. */
  readonly generation?: string;
}
