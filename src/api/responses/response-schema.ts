/**
 * Schemas of the Responses API's answers, from which their types are inferred. A test checks the
 * types against OpenAI's client.
 */
import { z } from "zod";
import { REASONING_EFFORTS } from "../../core/generation-request.js";
import { timings } from "../fields/usage.js";
import { outputItem, responseStatus, storedItem, unixSeconds, usage } from "./item-schema.js";
import { PUBLISHED_TYPES } from "./published-tools.js";

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

const toolFilter = z.object({
  tool_names: z.array(z.string()).optional(),
  read_only: z.boolean().optional(),
});

const mcpTool = z.object({
  type: z.literal("mcp"),
  server_label: z.string(),
  server_url: z.string().optional(),
  allowed_tools: z.union([z.array(z.string()), toolFilter]).nullable(),
  require_approval: z.union([
    z.enum(["always", "never"]),
    z.object({ always: toolFilter.optional(), never: toolFilter.optional() }),
  ]),
});

const tool = z.discriminatedUnion("type", [
  functionTool,
  customTool,
  mcpTool,
  z.object({
    type: z.literal("namespace"),
    name: z.string(),
    description: z.string(),
    tools: z.array(z.discriminatedUnion("type", [functionTool, customTool])),
  }),
  z.object({ type: z.literal("local_shell") }),
  z.object({
    type: z.literal("shell"),
    environment: z.object({
      type: z.literal("local"),
      skills: z
        .array(z.object({ name: z.string(), description: z.string(), path: z.string() }))
        .optional(),
    }),
  }),
  z.object({ type: z.literal("apply_patch") }),
]);

const namedTool = z.object({
  type: z.enum(["function", "custom"]),
  name: z.string(),
  namespace: z.string().optional(),
});

const mcpChoice = z.object({
  type: z.literal("mcp"),
  server_label: z.string(),
  name: z.string().optional(),
});

const allowedTool = z.union([namedTool, mcpChoice, z.object({ type: z.enum(PUBLISHED_TYPES) })]);

const toolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  namedTool,
  mcpChoice,
  z.object({ type: z.literal("shell") }),
  z.object({ type: z.literal("apply_patch") }),
  z.object({
    type: z.literal("allowed_tools"),
    mode: z.enum(["auto", "required"]),
    tools: z.array(allowedTool),
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

export type AllowedTool = z.infer<typeof allowedTool>;
export type ResponseObject = z.infer<typeof responseObject>;
export type ResponseUsage = z.infer<typeof usage>;

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

/** Conversation of a list, with the match of a search. */
const listedConversation = conversationObject
  .extend({
    match: z
      .object({
        item_id: z.string().nullable().meta({
          description:
            "Id of the earliest of the messages with the most words; null if only the title has them.",
        }),
        excerpt: z
          .array(z.object({ text: z.string(), is_match: z.boolean() }))
          .meta({ description: "Surroundings of the first match, split at the matched words." }),
      })
      .optional()
      .meta({ description: "Where the words of `query` are. Absent without `query`." }),
  })
  .meta({ id: "ListedConversation" });
export type ListedConversation = z.infer<typeof listedConversation>;

/** Page of conversations. */
export const conversationList = z
  .object({
    object: z.literal("list"),
    data: z.array(listedConversation),
    first_id: z.string().meta({ description: "Empty if the page is empty." }),
    last_id: z.string().meta({ description: "Value of `after` for the next page." }),
    has_more: z.boolean(),
  })
  .meta({ id: "ConversationList" });
export type ConversationList = z.infer<typeof conversationList>;
