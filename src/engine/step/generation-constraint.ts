import type { TokenConstraint } from "../native/token-context.js";

/** A constraint that follows a generation token by token. */
export interface GenerationConstraint extends TokenConstraint {
  /** Whether the text is complete: nothing may follow. */
  readonly isComplete: boolean;
  /** Takes the next token, which is allowed. */
  accept(token: number): void;
  /** Tokens that must follow whatever the model says, at most so many. */
  forcedTokens(maxTokens: number): readonly number[];
}
