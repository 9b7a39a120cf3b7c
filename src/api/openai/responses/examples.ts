/** Long examples in the descriptions of responses and conversations. */
import type { ResponseEvent } from "./event-schema.js";
import type { ItemList, ResponseObject, StoredItem } from "./response-schema.js";

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

export const exampleEvent: ResponseEvent = {
  type: "response.output_text.delta",
  sequence_number: 4,
  item_id: "msg_9a3e",
  output_index: 0,
  content_index: 0,
  delta: "I",
  logprobs: [],
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
