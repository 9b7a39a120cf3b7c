import type { z } from "zod";
import type { message, messagesEvent } from "./response-schema.js";
import type { countTokensRequest, messagesRequest } from "./schema.js";

export const exampleRequest: z.input<typeof messagesRequest> = {
  model: "ggufd-mini",
  max_tokens: 50,
  messages: [{ role: "user", content: "Hello! Who are you?" }],
};

export const exampleCountRequest: z.input<typeof countTokensRequest> = {
  model: exampleRequest.model,
  messages: exampleRequest.messages,
};

export const exampleMessage: z.input<typeof message> = {
  id: "msg_1b1c8e1e",
  type: "message",
  role: "assistant",
  model: "ggufd-mini",
  content: [{ type: "text", text: "I am ggufd mini.", citations: [] }],
  stop_reason: "end_turn",
  stop_sequence: null,
  stop_details: null,
  container: null,
  diagnostics: null,
  usage: {
    input_tokens: 14,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 6,
    output_tokens_details: { thinking_tokens: 0 },
    server_tool_use: null,
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    inference_geo: null,
    service_tier: "standard",
    speed: null,
  },
};

export const exampleEvent: z.input<typeof messagesEvent> = {
  type: "content_block_delta",
  index: 0,
  delta: { type: "text_delta", text: "I" },
};
