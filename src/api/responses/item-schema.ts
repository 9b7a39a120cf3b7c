/**
 * Schemas of the items of responses and conversations, from which their types are inferred. A test
 * checks the types against OpenAI's client.
 */
import { z } from "zod";
import { timings } from "../fields/usage.js";
import { type McpCallItem, mcpApprovalResponse, mcpOutputItems } from "./mcp-items.js";

const count = (description: string) => z.int().nonnegative().meta({ description });

const status = z.enum(["in_progress", "completed", "incomplete"]);

export const usage = z
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

export const responseStatus = z.enum([
  "queued",
  "in_progress",
  "completed",
  "incomplete",
  "failed",
  "cancelled",
]);

export const unixSeconds = z.int().nonnegative().meta({ description: "Unix time in seconds." });

/** Extension: metadata of a response, in the last of its items in a conversation. */
export const itemResponse = z
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
    description:
      "Response that generated the item. Kept in new items of conversations, and ignored in other requests.",
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

/** Action of a local shell call. Members that the model did not choose are absent. */
export const localShellAction = z.object({
  type: z.literal("exec"),
  command: z.array(z.string()).meta({ description: "The program and its arguments." }),
  env: z.record(z.string(), z.string()),
  timeout_ms: z.number().optional(),
  working_directory: z.string().optional(),
  user: z.string().optional(),
});

/** Action of a shell call. */
export const shellAction = z.object({
  commands: z.array(z.string()),
  timeout_ms: z.number().nullable(),
  max_output_length: z.number().nullable(),
});

/** Operation of an apply-patch call. */
export const patchOperation = z.discriminatedUnion("type", [
  z.object({ type: z.literal("create_file"), path: z.string(), diff: z.string() }),
  z.object({ type: z.literal("update_file"), path: z.string(), diff: z.string() }),
  z.object({ type: z.literal("delete_file"), path: z.string() }),
]);

const localShellCall = z
  .object({
    type: z.literal("local_shell_call"),
    id: z.string(),
    call_id: z.string().meta({ description: "Id that the output of the call refers to." }),
    action: localShellAction,
    status,
    ...responseField,
  })
  .meta({ id: "ResponseLocalShellCall" });

const shellCall = z
  .object({
    type: z.literal("shell_call"),
    id: z.string(),
    call_id: z.string().meta({ description: "Id that the output of the call refers to." }),
    action: shellAction,
    environment: z.object({ type: z.literal("local") }),
    status,
    ...responseField,
  })
  .meta({ id: "ResponseShellCall" });

const applyPatchCall = z
  .object({
    type: z.literal("apply_patch_call"),
    id: z.string(),
    call_id: z.string().meta({ description: "Id that the output of the call refers to." }),
    operation: patchOperation,
    status: z.enum(["in_progress", "completed"]).meta({
      description: "`in_progress`: the token limit truncated the call.",
    }),
    ...responseField,
  })
  .meta({ id: "ResponseApplyPatchCall" });

const mcpListTools = mcpOutputItems.mcpListTools
  .extend(responseField)
  .meta({ id: "ResponseMcpListTools" });
const mcpCall = mcpOutputItems.mcpCall.extend(responseField).meta({ id: "ResponseMcpCall" });
const mcpApprovalRequest = mcpOutputItems.mcpApprovalRequest
  .extend(responseField)
  .meta({ id: "ResponseMcpApprovalRequest" });

/** Item of a response's output. */
export const outputItem = z
  .discriminatedUnion("type", [
    outputMessage,
    reasoning,
    functionCall,
    customToolCall,
    localShellCall,
    shellCall,
    applyPatchCall,
    mcpListTools,
    mcpCall,
    mcpApprovalRequest,
  ])
  .meta({ id: "ResponseOutputItem" });

const inputText = z.object({ type: z.literal("input_text"), text: z.string() });

/** Levels of detail, as defined by OpenAI. */
export const IMAGE_DETAILS = ["auto", "low", "high", "original"] as const;

const inputImage = z.object({
  type: z.literal("input_image"),
  image_url: z.string(),
  detail: z.enum(IMAGE_DETAILS),
});

const inputAudio = z.object({
  type: z.literal("input_audio"),
  input_audio: z.object({
    data: z.string().optional(),
    url: z.string().optional(),
    format: z.string().optional(),
  }),
});

const inputFile = z.object({
  type: z.literal("input_file"),
  filename: z.string().optional(),
  file_data: z.string(),
});

const inputPart = z.discriminatedUnion("type", [inputText, inputImage, inputAudio, inputFile]);
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

const localShellCallOutput = z
  .object({
    type: z.literal("local_shell_call_output"),
    id: z.string(),
    call_id: z.string(),
    output: z.string(),
    status,
  })
  .meta({ id: "ResponseStoredLocalShellOutput" });

const shellCallOutput = z
  .object({
    type: z.literal("shell_call_output"),
    id: z.string(),
    call_id: z.string(),
    max_output_length: z.number().nullable(),
    output: z.array(
      z.object({
        stdout: z.string(),
        stderr: z.string(),
        outcome: z.discriminatedUnion("type", [
          z.object({ type: z.literal("exit"), exit_code: z.number() }),
          z.object({ type: z.literal("timeout") }),
        ]),
      }),
    ),
    status,
  })
  .meta({ id: "ResponseStoredShellOutput" });

const applyPatchCallOutput = z
  .object({
    type: z.literal("apply_patch_call_output"),
    id: z.string(),
    call_id: z.string(),
    output: z.string().optional(),
    status: z.enum(["completed", "failed"]),
  })
  .meta({ id: "ResponseStoredPatchOutput" });

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
    localShellCall,
    localShellCallOutput,
    shellCall,
    shellCallOutput,
    applyPatchCall,
    applyPatchCallOutput,
    mcpListTools,
    mcpCall,
    mcpApprovalRequest,
    mcpApprovalResponse,
  ])
  .meta({ id: "ResponseItem" });

export type OutputItem = z.infer<typeof outputItem>;
export type StoredItem = z.infer<typeof storedItem>;
export type OutputMessage = z.infer<typeof outputMessage>;
export type ReasoningItem = z.infer<typeof reasoning>;
export type FunctionCallItem = z.infer<typeof functionCall>;
export type CustomCallItem = z.infer<typeof customToolCall>;
/** Call that the client carries out. */
export type CallItem = Exclude<
  Extract<StoredItem, { readonly type: `${string}_call` }>,
  McpCallItem
>;
export type CallOutputItem = Extract<StoredItem, { readonly type: `${string}_call_output` }>;
export type ItemStatus = z.infer<typeof status>;
export type OutputText = z.infer<typeof outputText>;
export type ItemResponse = z.infer<typeof itemResponse>;

export function isCall(item: StoredItem): item is CallItem {
  return item.type.endsWith("_call") && item.type !== "mcp_call";
}

export function isCallOutput(item: StoredItem): item is CallOutputItem {
  return item.type.endsWith("_call_output");
}
