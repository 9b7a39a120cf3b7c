import { z } from "zod";
import type { FinishReason } from "../../core/generation-event.js";
import type { ToolCall } from "../../core/generation-request.js";
import { customInput } from "../fields/custom-tool.js";
import { nameOfTool } from "../fields/tool-schema.js";
import type { ChatCompletionRequest } from "./schema.js";

/** Why a choice ended. */
export const finishReason = z.enum(["stop", "length", "tool_calls", "function_call"]).meta({
  description:
    "`stop`: end of generation or a stop string; `length`: the token limit; `function_call`: a call, if the request has `functions`.",
});

const IF_CUSTOM =
  "In place of `function`, if the request has custom tools and the call is one of these: its `type` is `custom`.";

/** The description of `function_call`, whole or in pieces. */
export const IF_FUNCTIONS = "In place of `tool_calls`, if the request has `functions`.";

/** The function of a call, with its arguments. */
export const calledFunction = z.object({
  name: z.string(),
  arguments: z.string().meta({ description: "JSON in a string." }),
});

/**
 * A call of a completion: of a function, with what a call of a custom tool has instead. It is not a union, which would
 * break the clients that are generated from the description, most of which have no custom tools.
 */
export const toolCall = z
  .object({
    id: z.string(),
    type: z.literal("function"),
    function: calledFunction,
    custom: z
      .object({ name: z.string(), input: z.string() })
      .optional()
      .meta({ description: IF_CUSTOM }),
  })
  .meta({ id: "ToolCall", description: "A call that the model requests." });

/** A piece of a call of a function. */
export const calledFunctionDelta = z.object({ name: z.string().optional(), arguments: z.string() });

/** A piece of a call; not a union either. */
export const toolCallDelta = z
  .object({
    index: z.int().nonnegative().meta({ description: "Index of the call in the completion." }),
    id: z.string().optional(),
    type: z.literal("function").optional(),
    function: calledFunctionDelta,
    custom: z
      .object({ name: z.string().optional(), input: z.string() })
      .optional()
      .meta({ description: IF_CUSTOM }),
  })
  .meta({
    id: "ToolCallDelta",
    description:
      "The first delta of a call has its function's name and empty arguments, or its tool's name and an empty input; these follow.",
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

/** A call of a function or of a custom tool. */
export type ReportedCall = FunctionCall | CustomCall;

/** A piece of such a call. */
export type ReportedCallDelta = FunctionCallDelta | CustomCallDelta;

/** Where a completion's calls are reported; also the finish reason of a completion with calls. */
type CallField = "tool_calls" | "function_call";

/** How the calls of a completion are reported. */
export interface CallReporting {
  readonly field: CallField;
  /** Names of the tools whose calls have an input instead of arguments. */
  readonly customTools: ReadonlySet<string>;
}

/** Calls are reported in the form that goes with the request's tools. */
export function callReportingOf({
  functions = [],
  tools = [],
}: ChatCompletionRequest): CallReporting {
  const custom = tools.filter(({ type }) => type === "custom");
  return {
    field: functions.length === 0 ? "tool_calls" : "function_call",
    customTools: new Set(custom.map(nameOfTool)),
  };
}

/** A whole call of a tool. */
export function toReportedCall(
  { id, name, arguments: written }: ToolCall,
  { customTools }: CallReporting,
): ReportedCall {
  return customTools.has(name)
    ? { id, type: "custom", custom: { name, input: customInput(written) } }
    : { id, type: "function", function: { name, arguments: written } };
}

/** A finish reason in OpenAI's terms. */
export function toFinishReason(
  reason: FinishReason,
  callField: CallField,
): z.infer<typeof finishReason> {
  return reason === "tool-calls" ? callField : reason;
}
