import type { ToolCall } from "../../core/generation-request.js";
import type { AnsweredCall } from "./answered-calls.js";
import { nameOfTool } from "./chat-tool-schema.js";
import { customInput } from "./custom-input-reader.js";
import { type CallField, callFieldOf } from "./functions-as-tools.js";
import type { ChatCompletionRequest } from "./schema.js";

/** How the calls of a completion are reported. */
export interface CallReporting {
  readonly field: CallField;
  /** Names of the tools whose calls have an input instead of arguments. */
  readonly customTools: ReadonlySet<string>;
}

/** Calls are reported in the form that goes with the request's tools. */
export function callReportingOf(body: ChatCompletionRequest): CallReporting {
  const { tools = [] } = body;
  const custom = tools.filter(({ type }) => type === "custom");
  return { field: callFieldOf(body), customTools: new Set(custom.map(nameOfTool)) };
}

/** A whole call of a tool. */
export function toAnsweredCall(
  { id, name, arguments: written }: ToolCall,
  { customTools }: CallReporting,
): AnsweredCall {
  return customTools.has(name)
    ? { id, type: "custom", custom: { name, input: customInput(written) } }
    : { id, type: "function", function: { name, arguments: written } };
}
