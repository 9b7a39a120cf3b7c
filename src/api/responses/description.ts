/** Shared descriptions of the routes of responses and conversations: ids, errors, examples. */
import { z } from "zod";
import { createRefusal, GgufdError } from "../../core/errors.js";
import { groupCommitErrors, internalError } from "../description/example-errors.js";
import { JSON_TYPE } from "../description/responses.js";
import { createLockedError } from "./conversation-locks.js";
import type { ResponseEvent } from "./event-schema.js";
import { responseEvent } from "./event-schema.js";
import type { StoredItem } from "./item-schema.js";
import type { ItemList, ResponseObject } from "./response-schema.js";
import { responseObject } from "./response-schema.js";

/** Schema of a path with an id. */
export function idPath(example: string) {
  return z.object({ id: z.string().meta({ example }) });
}

/** Reads the id from a request's path. */
export function idOf({ params }: { readonly params: unknown }): string {
  return (params as z.output<ReturnType<typeof idPath>>).id;
}

/** Error of a reference to an unknown item. */
export const itemNotFound = new GgufdError(
  "not_found",
  "Item with id 'msg_1' not found: it was never stored, or has been removed. Send the item itself.",
  { param: "input.0.id" },
);

/** Error of a conversation that is locked by an open response. */
export const lockedConversation = createLockedError("conv_1", "resp_1");

/** Errors of a change of conversations that cannot be stored durably. */
export const storeErrors = [internalError, ...groupCommitErrors];

/** Error of a value that exceeds the storage quota of its key. */
export const quotaError = new GgufdError(
  "storage_quota_exceeded",
  "The conversation cannot be stored: expected at most 4194304 bytes and 62500 items, the quota of the key 'alice' for all its conversations, got 5242917 bytes and 12 items.",
);

/** Creates the error of an invalid field. */
export function createInvalidFieldError(field: string, reason: string): GgufdError {
  return createRefusal("invalid_request", [{ field, reason }]);
}

/** Error of an invalid page size. */
export const invalidLimit = createInvalidFieldError(
  "limit",
  'expected an integer from 1 to 100, got "1000"',
);

export const exampleResponse: ResponseObject = {
  id: "resp_1b1c",
  object: "response",
  created_at: 1767225600,
  completed_at: 1767225601,
  status: "completed",
  background: false,
  error: null,
  incomplete_details: null,
  model: "ggufd-mini",
  output: [
    {
      type: "message",
      id: "msg_9a3e",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "I am ggufd mini.", annotations: [], logprobs: [] }],
    },
  ],
  usage: {
    input_tokens: 14,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 6,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 20,
  },
  previous_response_id: null,
  conversation: null,
  instructions: null,
  tools: [],
  tool_choice: "auto",
  parallel_tool_calls: true,
  max_tool_calls: null,
  max_output_tokens: null,
  temperature: null,
  top_p: null,
  top_logprobs: 0,
  text: { format: { type: "text" }, verbosity: "medium" },
  reasoning: { effort: null, summary: null },
  truncation: "disabled",
  metadata: {},
  store: true,
  service_tier: "default",
  safety_identifier: null,
  prompt_cache_key: null,
};

const exampleEvent: ResponseEvent = {
  type: "response.output_text.delta",
  sequence_number: 4,
  item_id: "msg_9a3e",
  output_index: 0,
  content_index: 0,
  delta: "I",
  logprobs: [],
};

/** Content of a successful response: the complete object, or a stream of events. */
export const responseContent = {
  [JSON_TYPE]: { schema: responseObject, example: exampleResponse },
  "text/event-stream": { schema: responseEvent, example: exampleEvent },
};

export const exampleItem: StoredItem = {
  type: "message",
  id: "msg_2f6b",
  role: "user",
  status: "completed",
  content: [{ type: "input_text", text: "Hello! Who are you?" }],
};

export const exampleItemList: ItemList = {
  object: "list",
  data: [exampleItem],
  first_id: "msg_2f6b",
  last_id: "msg_2f6b",
  has_more: false,
};
