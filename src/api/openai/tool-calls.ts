import { z } from "zod";
import type { FinishReason } from "../../core/generation-event.js";
import type { ToolCall } from "../../core/generation-request.js";
import { readCustomInput } from "../fields/custom-tool.js";
import { isClientTool, nameOfTool } from "../fields/tool-schema.js";
import type { ChatCompletionRequest } from "./schema.js";

/** Reason why a choice ended. */
export const finishReason = z.enum(["stop", "length", "tool_calls", "function_call"]).meta({
  description:
    "`stop`: ended by the model or a stop string; `length`: token limit reached; `tool_calls`: tool calls; `function_call`: a call, if the request has `functions`.",
});

const CUSTOM_CALL_DESCRIPTION =
  "Replaces `function` in calls of custom tools, whose `type` is `custom`.";

/** Description of `function_call`, complete or streamed. */
export const FUNCTION_CALL_DESCRIPTION = "Replaces `tool_calls` if the request has `functions`.";

/** Called function with its arguments. */
export const calledFunction = z.object({
  name: z.string(),
  arguments: z.string().meta({ description: "The arguments, as a JSON string." }),
});

/**
 * Tool call of a completion: of a function, with the fields of a custom tool call as alternatives.
 * A union would break clients generated from the OpenAPI description, most of which have no custom
 * tools.
 */
export const toolCall = z
  .object({
    id: z.string(),
    type: z.literal("function"),
    function: calledFunction,
    custom: z
      .object({ name: z.string(), input: z.string() })
      .optional()
      .meta({ description: CUSTOM_CALL_DESCRIPTION }),
  })
  .meta({ id: "ToolCall", description: "A tool call requested by the model." });

/** Part of a function call. */
export const calledFunctionDelta = z.object({ name: z.string().optional(), arguments: z.string() });

/** Part of a tool call. As with {@link toolCall}, a union would break generated clients. */
export const toolCallDelta = z
  .object({
    index: z.int().nonnegative().meta({ description: "Index of the call in the completion." }),
    id: z.string().optional(),
    type: z.literal("function").optional(),
    function: calledFunctionDelta,
    custom: z
      .object({ name: z.string().optional(), input: z.string() })
      .optional()
      .meta({ description: CUSTOM_CALL_DESCRIPTION }),
  })
  .meta({
    id: "ToolCallDelta",
    description:
      "A part of a tool call. The first delta has the name and empty arguments or input; the following ones have their text.",
  });

type DescribedCall = z.infer<typeof toolCall>;
type DescribedCallDelta = z.infer<typeof toolCallDelta>;

type FunctionCall = Omit<DescribedCall, "custom">;
type FunctionCallDelta = Omit<DescribedCallDelta, "custom">;

interface CustomCall extends Pick<DescribedCall, "id"> {
  type: "custom";
  custom: NonNullable<DescribedCall["custom"]>;
}

interface CustomCallDelta extends Pick<DescribedCallDelta, "index" | "id"> {
  type?: "custom";
  custom: NonNullable<DescribedCallDelta["custom"]>;
}

export type ReportedCall = FunctionCall | CustomCall;

export type ReportedCallDelta = FunctionCallDelta | CustomCallDelta;

/** Field that reports the calls of a completion, and its finish reason if it has calls. */
type CallField = "tool_calls" | "function_call";

/** Format in which the calls of a completion are reported. */
export interface CallReporting {
  readonly field: CallField;
  /** Names of the tools whose calls have an input instead of arguments. */
  readonly customTools: ReadonlySet<string>;
}

/** Derives the format of calls from the request: `functions` are reported as `function_call`. */
export function callReportingOf({
  functions = [],
  tools = [],
}: ChatCompletionRequest): CallReporting {
  const custom = tools.filter(isClientTool).filter(({ type }) => type === "custom");
  return {
    field: functions.length === 0 ? "tool_calls" : "function_call",
    customTools: new Set(custom.map(nameOfTool)),
  };
}

/** Converts a complete tool call. */
export function toReportedCall(
  { id, name, arguments: written }: ToolCall,
  { customTools }: CallReporting,
): ReportedCall {
  return customTools.has(name)
    ? { id, type: "custom", custom: { name, input: readCustomInput(written) } }
    : { id, type: "function", function: { name, arguments: written } };
}

/** Converts a finish reason to OpenAI's. */
export function toFinishReason(
  reason: FinishReason,
  callField: CallField,
): z.infer<typeof finishReason> {
  return reason === "tool-calls" ? callField : reason;
}
