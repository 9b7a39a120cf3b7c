/**
 * Schemas of the Responses API's answers, from which their types are inferred. A test checks the
 * types against OpenAI's client.
 */
import { z } from "zod";
import { REASONING_EFFORTS } from "../../core/generation-request.js";
import { timings } from "../fields/usage.js";

const count = (description: string) => z.int().nonnegative().meta({ description });

const status = z.enum(["in_progress", "completed", "incomplete"]);

const usage = z
  .object({
    input_tokens: count("Tokens of the whole prompt, cached or not."),
    input_tokens_details: z.object({
      cached_tokens: count("Prompt tokens read from the cache."),
      cache_write_tokens: z
        .literal(0)
        .meta({ description: "Always 0: cache writes are not counted." }),
    }),
    output_tokens: count("All sampled tokens, including the end-of-generation token."),
    output_tokens_details: z.object({
      reasoning_tokens: count("Output tokens spent on reasoning."),
    }),
    total_tokens: count("Input and output tokens together."),
  })
  .meta({ id: "ResponseUsage", description: "Tokens of a response." });

const responseStatus = z.enum([
  "queued",
  "in_progress",
  "completed",
  "incomplete",
  "failed",
  "cancelled",
]);

const unixSeconds = z.int().nonnegative().meta({ description: "Unix time in seconds." });

/** Extension: metadata of a response, in the last of its items in a conversation. */
const itemResponse = z
  .object({
    id: z.string(),
    model: z.string(),
    status: responseStatus,
    created_at: unixSeconds,
    usage: usage.optional().meta({ description: "Absent if unknown." }),
    timings: timings.optional().meta({ description: "Absent if unknown." }),
    error: z.string().nullable().meta({ description: "The message of its error." }),
  })
  .meta({
    id: "ResponseOfItem",
    description: "Id of the response that generated the item. Ignored in requests.",
  });

/** Field of conversation items only: of the last item that each response added. */
const responseField = { response: itemResponse.optional() };

const scoredToken = {
  token: z.string().meta({ description: "May be part of a character; `bytes` is exact." }),
  logprob: z
    .number()
    .meta({ description: "Log-probability under the model, before sampling parameters apply." }),
  bytes: z.array(z.int().min(0).max(255)),
};

/** Tokens of a text with their log-probabilities, if requested. */
export const textLogprobs = z.array(
  z.object({ ...scoredToken, top_logprobs: z.array(z.object(scoredToken)) }),
);

export const outputText = z
  .object({
    type: z.literal("output_text"),
    text: z.string(),
    annotations: z
      .array(z.never())
      .meta({ description: "Always empty: annotations come from hosted tools." }),
    logprobs: textLogprobs,
  })
  .meta({ id: "ResponseOutputText" });

export const reasoningText = z
  .object({ type: z.literal("reasoning_text"), text: z.string() })
  .meta({ id: "ResponseReasoningText" });

export const summaryText = z
  .object({ type: z.literal("summary_text"), text: z.string() })
  .meta({ id: "ResponseSummaryText" });

const refusal = z.object({ type: z.literal("refusal"), refusal: z.string() }).meta({
  id: "ResponseRefusal",
  description: "A refusal sent by the client. Models of this server refuse in plain text.",
});

const outputMessage = z
  .object({
    type: z.literal("message"),
    id: z.string(),
    role: z.literal("assistant"),
    status,
    content: z.array(z.union([outputText, refusal])),
    ...responseField,
  })
  .meta({ id: "ResponseOutputMessage" });

const reasoning = z
  .object({
    type: z.literal("reasoning"),
    id: z.string(),
    status: status.optional(),
    summary: z.array(summaryText),
    content: z
      .array(reasoningText)
      .optional()
      .meta({ description: "Absent if the reasoning is returned as a summary." }),
    encrypted_content: z.string().optional().meta({
      description:
        "Copy of the reasoning, with `reasoning.encrypted_content` in `include`; not secret.",
    }),
    ...responseField,
  })
  .meta({ id: "ResponseReasoning" });

const functionCall = z
  .object({
    type: z.literal("function_call"),
    id: z.string(),
    call_id: z.string().meta({ description: "Id that the output of the call refers to." }),
    name: z.string(),
    namespace: z.string().optional().meta({ description: "Namespace of the function, if any." }),
    arguments: z.string().meta({ description: "The arguments, as a JSON string." }),
    status,
    ...responseField,
  })
  .meta({ id: "ResponseFunctionCall" });

const customToolCall = z
  .object({
    type: z.literal("custom_tool_call"),
    id: z.string(),
    call_id: z.string().meta({ description: "Id that the output of the call refers to." }),
    name: z.string(),
    namespace: z.string().optional().meta({ description: "Namespace of the tool, if any." }),
    input: z.string(),
    status,
    ...responseField,
  })
  .meta({ id: "ResponseCustomToolCall" });

/** Item of a response's output. */
export const outputItem = z
  .discriminatedUnion("type", [outputMessage, reasoning, functionCall, customToolCall])
  .meta({ id: "ResponseOutputItem" });

const inputText = z.object({ type: z.literal("input_text"), text: z.string() });

/** Levels of detail, as defined by OpenAI. */
export const IMAGE_DETAILS = ["auto", "low", "high", "original"] as const;

const inputImage = z.object({
  type: z.literal("input_image"),
  image_url: z.string(),
  detail: z.enum(IMAGE_DETAILS),
});

const inputFile = z.object({
  type: z.literal("input_file"),
  filename: z.string().optional(),
  file_data: z.string(),
});

const inputPart = z.discriminatedUnion("type", [inputText, inputImage, inputFile]);
export type InputPart = z.infer<typeof inputPart>;

const inputMessage = z
  .object({
    type: z.literal("message"),
    id: z.string(),
    role: z.enum(["user", "system", "developer"]),
    status,
    content: z.array(inputPart),
  })
  .meta({ id: "ResponseStoredMessage" });

const callOutput = {
  id: z.string(),
  call_id: z.string(),
  output: z.union([z.string(), z.array(inputPart)]),
  status,
};
const functionCallOutput = z
  .object({ type: z.literal("function_call_output"), ...callOutput })
  .meta({ id: "ResponseStoredCallOutput" });
const customToolCallOutput = z
  .object({ type: z.literal("custom_tool_call_output"), ...callOutput })
  .meta({ id: "ResponseStoredCustomCallOutput" });

/** Item of a conversation, with its id. */
export const storedItem = z
  .union([
    inputMessage,
    outputMessage,
    reasoning,
    functionCall,
    functionCallOutput,
    customToolCall,
    customToolCallOutput,
  ])
  .meta({ id: "ResponseItem" });

const functionTool = z.object({
  type: z.literal("function"),
  name: z.string(),
  description: z.string().nullable(),
  parameters: z.record(z.string(), z.unknown()).nullable(),
  strict: z.boolean(),
});

const customTool = z.object({
  type: z.literal("custom"),
  name: z.string(),
  description: z.string().optional(),
  format: z.discriminatedUnion("type", [
    z.object({ type: z.literal("text") }),
    z.object({
      type: z.literal("grammar"),
      syntax: z.enum(["lark", "regex"]),
      definition: z.string(),
    }),
  ]),
});

const tool = z.discriminatedUnion("type", [
  functionTool,
  customTool,
  z.object({
    type: z.literal("namespace"),
    name: z.string(),
    description: z.string(),
    tools: z.array(z.discriminatedUnion("type", [functionTool, customTool])),
  }),
]);

const namedTool = z.object({
  type: z.enum(["function", "custom"]),
  name: z.string(),
  namespace: z.string().optional(),
});

const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  namedTool,
  z.object({
    type: z.literal("allowed_tools"),
    mode: z.enum(["auto", "required"]),
    tools: z.array(namedTool),
  }),
]);

const textFormat = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text") }),
  z.object({ type: z.literal("json_object") }),
  z.object({
    type: z.literal("json_schema"),
    name: z.string(),
    description: z.string().optional(),
    schema: z.record(z.string(), z.unknown()),
    strict: z.boolean(),
  }),
]);

/** Response object: the parameters of the request, and the output so far. */
export const responseObject = z
  .object({
    id: z.string(),
    object: z.literal("response"),
    created_at: unixSeconds,
    completed_at: z
      .int()
      .nonnegative()
      .nullable()
      .meta({ description: "Unix time in seconds at which the answer was completed." }),
    status: responseStatus.meta({
      description: "`queued` and `cancelled` occur only in background responses.",
    }),
    background: z.boolean(),
    error: z.object({ code: z.literal("server_error"), message: z.string() }).nullable(),
    incomplete_details: z.object({ reason: z.literal("max_output_tokens") }).nullable(),
    model: z.string().meta({ description: "Name of the served model." }),
    output: z.array(outputItem),
    usage: usage.optional().meta({
      description:
        "Usage, once the answer has ended. Counts up to the last text if it was cancelled or failed.",
    }),
    timings: timings
      .optional()
      .meta({ description: "Prefill and decode timings, once the answer has ended." }),
    previous_response_id: z.string().nullable(),
    conversation: z.object({ id: z.string() }).nullable(),
    instructions: z.string().nullable(),
    tools: z
      .array(tool)
      .meta({ description: "The tools offered to the model, without hosted tools." }),
    tool_choice: toolChoice,
    parallel_tool_calls: z.boolean(),
    max_tool_calls: z.int().nullable(),
    max_output_tokens: z.int().nullable(),
    temperature: z.number().nullable().meta({ description: "`null`: the default of the model." }),
    top_p: z.number().nullable().meta({ description: "`null`: the default of the model." }),
    top_logprobs: z.int(),
    text: z.object({ format: textFormat, verbosity: z.enum(["low", "medium", "high"]) }),
    reasoning: z.object({
      effort: z.enum(REASONING_EFFORTS).nullable(),
      summary: z.enum(["auto", "concise", "detailed"]).nullable(),
    }),
    truncation: z.enum(["auto", "disabled"]),
    metadata: z.record(z.string(), z.string()),
    store: z.boolean(),
    service_tier: z.literal("default"),
    user: z.string().optional(),
    safety_identifier: z.string().nullable(),
    prompt_cache_key: z.string().nullable(),
  })
  .meta({ id: "Response" });

export type ResponseObject = z.infer<typeof responseObject>;
export type OutputItem = z.infer<typeof outputItem>;
export type StoredItem = z.infer<typeof storedItem>;
export type OutputMessage = z.infer<typeof outputMessage>;
export type ReasoningItem = z.infer<typeof reasoning>;
export type FunctionCallItem = z.infer<typeof functionCall>;
export type CustomCallItem = z.infer<typeof customToolCall>;
export type ItemStatus = z.infer<typeof status>;
export type OutputText = z.infer<typeof outputText>;
export type ResponseUsage = z.infer<typeof usage>;
export type ItemResponse = z.infer<typeof itemResponse>;

/** Schema that confirms the deletion of a response or conversation. */
function deletedObject<const Name extends string>(name: Name) {
  return z.object({ id: z.string(), object: z.literal(name), deleted: z.literal(true) });
}

export const deletedResponse = deletedObject("response").meta({ id: "DeletedResponse" });
export const deletedConversation = deletedObject("conversation.deleted").meta({
  id: "DeletedConversation",
});

/** Page of items. */
export const itemList = z
  .object({
    object: z.literal("list"),
    data: z.array(storedItem),
    first_id: z.string().meta({ description: "Empty if the page is empty." }),
    last_id: z.string().meta({ description: "Value of `after` for the next page." }),
    has_more: z.boolean(),
  })
  .meta({ id: "ResponseItemList" });
export type ItemList = z.infer<typeof itemList>;

/** Conversation without its items. */
export const conversationObject = z
  .object({
    id: z.string(),
    object: z.literal("conversation"),
    created_at: unixSeconds,
    updated_at: unixSeconds.meta({
      description: "Unix time in seconds of the last change of the items or metadata.",
    }),
    metadata: z.record(z.string(), z.string()),
    active_response_id: z.string().nullable().meta({
      description: "Id of the background response being generated for the conversation.",
    }),
  })
  .meta({ id: "Conversation" });
export type ConversationObject = z.infer<typeof conversationObject>;

/** Page of conversations. */
export const conversationList = z
  .object({
    object: z.literal("list"),
    data: z.array(conversationObject),
    first_id: z.string().meta({ description: "Empty if the page is empty." }),
    last_id: z.string().meta({ description: "Value of `after` for the next page." }),
    has_more: z.boolean(),
  })
  .meta({ id: "ConversationList" });
export type ConversationList = z.infer<typeof conversationList>;
