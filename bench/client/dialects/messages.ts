import { streams } from "../chat-request.js";
import { type Dialect, type EventContent, nothing } from "./dialect.js";

interface Event {
  readonly type?: string;
  readonly message?: { readonly usage?: Usage };
  readonly delta?: {
    readonly text?: string;
    readonly thinking?: string;
    readonly partial_json?: string;
    readonly stop_reason?: string | null;
  };
  readonly usage?: Usage;
  readonly error?: { readonly message?: string };
}

interface Usage {
  readonly input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly output_tokens?: number;
}

/**
 * Anthropic's `POST /v1/messages`, streamed. Requests must not contain system messages, which this
 * dialect has outside the list. Ends at the model's end-of-sequence token if that comes first.
 */
export const messages: Dialect = {
  name: "messages",
  path: "messages",
  framing: "server-sent events",
  lastEvent: "message_stop",
  toBody: (request, model) => ({
    model,
    messages: request.messages,
    max_tokens: request.maxTokens,
    temperature: request.sampling?.temperature ?? 0,
    stream: streams(request),
    ...request.members,
  }),
  readEvent({ type, message, delta = {}, usage, error }: Event): EventContent {
    switch (type) {
      case "message_start":
        return { ...nothing, counts: promptCounts(message?.usage) };
      case "content_block_delta": {
        const text = delta.text ?? delta.partial_json;
        return { showsTokens: Boolean(text || delta.thinking), text };
      }
      case "message_delta":
        return {
          ...nothing,
          finishReason: delta.stop_reason === "max_tokens" ? "length" : "stop",
          counts: { completion: usage?.output_tokens ?? 0 },
        };
      case "message_stop":
        return { ...nothing, isLast: true };
      case "error":
        return { ...nothing, error: error?.message ?? "an error event" };
      default:
        return nothing;
    }
  },
};

/** Adds cached tokens to the input tokens, which exclude them. */
function promptCounts({ input_tokens, cache_read_input_tokens }: Usage = {}) {
  const cached = cache_read_input_tokens ?? 0;
  return { prompt: (input_tokens ?? 0) + cached, cached };
}
