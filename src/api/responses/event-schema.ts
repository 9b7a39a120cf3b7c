/** Schemas of the events of a streamed response, as defined by OpenAI. */
import { z } from "zod";
import { timings } from "../fields/usage.js";
import { outputItem, outputText, reasoningText, summaryText, textLogprobs } from "./item-schema.js";
import { responseObject } from "./response-schema.js";

const index = z.int().nonnegative();
const numberField = { sequence_number: index };
const itemFields = { ...numberField, output_index: index, item_id: z.string() };
const partFields = { ...itemFields, content_index: index };
const summaryFields = { ...itemFields, summary_index: index };

/** Schema of an event with the complete response. */
function schemaWithResponse<const Type extends string>(type: Type) {
  return z.object({ ...numberField, type: z.literal(type), response: responseObject });
}

/**
 * Schema of the event of a response that has ended, with its timings where llama-server has them.
 */
function schemaWithEndedResponse<const Type extends string>(type: Type) {
  return schemaWithResponse(type).extend({ timings });
}

/** Schema of an event with a complete item. */
function schemaWithItem<const Type extends string>(type: Type) {
  return z.object({ ...numberField, type: z.literal(type), output_index: index, item: outputItem });
}

/** Schema of an event with a complete part of an item. */
function schemaWithPart<const Type extends string>(type: Type) {
  return z.object({
    ...partFields,
    type: z.literal(type),
    part: z.discriminatedUnion("type", [outputText, reasoningText]),
  });
}

/** Schema of an event with a complete summary. */
function schemaWithSummary<const Type extends string>(type: Type) {
  return z.object({ ...summaryFields, type: z.literal(type), part: summaryText });
}

/** Schema of an event about the progress of an item. */
function schemaOfProgress<const Type extends string>(type: Type) {
  return z.object({ ...itemFields, type: z.literal(type) });
}

/** Schema of an error outside the response itself, which is the last event of the stream. */
const errorEvent = z.object({
  ...numberField,
  type: z.literal("error"),
  code: z.string(),
  message: z.string(),
  param: z.string().nullable(),
});

/** Event of a streamed response, discriminated by its type. */
export const responseEvent = z
  .discriminatedUnion("type", [
    schemaWithResponse("response.created"),
    schemaWithResponse("response.queued"),
    schemaWithResponse("response.in_progress"),
    schemaWithEndedResponse("response.completed"),
    schemaWithEndedResponse("response.incomplete"),
    schemaWithResponse("response.failed"),
    schemaWithItem("response.output_item.added"),
    schemaWithItem("response.output_item.done"),
    schemaWithPart("response.content_part.added"),
    schemaWithPart("response.content_part.done"),
    z.object({
      ...partFields,
      type: z.literal("response.output_text.delta"),
      delta: z.string(),
      logprobs: textLogprobs,
    }),
    z.object({
      ...partFields,
      type: z.literal("response.output_text.done"),
      text: z.string(),
      logprobs: textLogprobs,
    }),
    z.object({
      ...partFields,
      type: z.literal("response.reasoning_text.delta"),
      delta: z.string(),
    }),
    z.object({ ...partFields, type: z.literal("response.reasoning_text.done"), text: z.string() }),
    schemaWithSummary("response.reasoning_summary_part.added"),
    schemaWithSummary("response.reasoning_summary_part.done"),
    z.object({
      ...summaryFields,
      type: z.literal("response.reasoning_summary_text.delta"),
      delta: z.string(),
    }),
    z.object({
      ...summaryFields,
      type: z.literal("response.reasoning_summary_text.done"),
      text: z.string(),
    }),
    z.object({
      ...itemFields,
      type: z.literal("response.function_call_arguments.delta"),
      delta: z.string(),
    }),
    z.object({
      ...itemFields,
      type: z.literal("response.function_call_arguments.done"),
      name: z.string(),
      arguments: z.string(),
    }),
    z.object({
      ...itemFields,
      type: z.literal("response.custom_tool_call_input.delta"),
      delta: z.string(),
    }),
    z.object({
      ...itemFields,
      type: z.literal("response.custom_tool_call_input.done"),
      input: z.string(),
    }),
    schemaOfProgress("response.mcp_list_tools.in_progress"),
    schemaOfProgress("response.mcp_list_tools.completed"),
    schemaOfProgress("response.mcp_list_tools.failed"),
    schemaOfProgress("response.mcp_call.in_progress"),
    z.object({
      ...itemFields,
      type: z.literal("response.mcp_call_arguments.delta"),
      delta: z.string(),
    }),
    z.object({
      ...itemFields,
      type: z.literal("response.mcp_call_arguments.done"),
      arguments: z.string(),
    }),
    schemaOfProgress("response.mcp_call.completed"),
    schemaOfProgress("response.mcp_call.failed"),
    errorEvent,
  ])
  .meta({ id: "ResponseStreamEvent" });

export type ResponseEvent = z.infer<typeof responseEvent>;
export type ErrorEvent = z.infer<typeof errorEvent>;

type WithoutNumber<Event> = Event extends unknown ? Omit<Event, "sequence_number"> : never;

/** Event without its `sequence_number`. */
export type UnnumberedEvent = WithoutNumber<ResponseEvent>;
