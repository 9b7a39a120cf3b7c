import type { ToolDefinition } from "../../../../core/generation-request.js";
import type { ArgumentSet, PlainTextOf } from "../../../../grammar/argument-set.js";
import type { GrammarNode } from "../../../../grammar/grammar.js";
import type { IsControlToken } from "./control-marks.js";

/** What an answer with calls may be. */
export interface CallGrammarOptions {
  /** The functions that may be called, at least one. */
  readonly tools: readonly ToolDefinition[];
  /** JSON objects that are a tool's arguments. */
  readonly argumentsOf: (tool: ToolDefinition) => GrammarNode;
  /** The same for families that write each parameter by itself. */
  readonly argumentSetsOf: (
    tool: ToolDefinition,
    plainTextOf: PlainTextOf,
  ) => readonly ArgumentSet[];
  readonly calls: "one" | "one-or-more";
  /** `at-once`: the answer is calls. `anywhere`: text, in which calls may begin. */
  readonly begins: "at-once" | "anywhere";
  readonly isControlToken: IsControlToken;
}
