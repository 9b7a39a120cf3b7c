import { streams } from "../chat-request.js";
import { type Dialect, type EventContent, nothing } from "./dialect.js";

interface Event {
  readonly type?: string;
  /** Piece of text, reasoning or arguments. */
  readonly delta?: string;
  readonly response?: Response;
  /** Message of an error event. */
  readonly message?: string;
}

interface Response {
  readonly incomplete_details?: { readonly reason?: string } | null;
  readonly error?: { readonly message?: string } | null;
  readonly usage?: {
    readonly input_tokens?: number;
    readonly input_tokens_details?: { readonly cached_tokens?: number };
    readonly output_tokens?: number;
  } | null;
}

/** `POST /v1/responses`, streamed. Ends at the model's end-of-sequence token if that comes first. */
export const responses: Dialect = {
  name: "responses",
  path: "responses",
  framing: "server-sent events",
  lastEvent: "response.completed",
  toBody: (request, model) => ({
    model,
    input: request.messages,
    max_output_tokens: request.maxTokens,
    temperature: request.sampling?.temperature ?? 0,
    stream: streams(request),
    ...request.members,
  }),
  readEvent({ type = "", delta = "", response = {}, message }: Event): EventContent {
    switch (type) {
      case "response.output_text.delta":
      case "response.function_call_arguments.delta":
        return { showsTokens: delta !== "", text: delta };
      case "response.reasoning_text.delta":
        return { showsTokens: delta !== "" };
      case "response.completed":
      case "response.incomplete":
        return { ...nothing, ...endOf(response), isLast: true };
      case "response.failed":
        return { ...nothing, error: response.error?.message ?? type, isLast: true };
      case "error":
        return { ...nothing, error: message ?? "an error event" };
      default:
        return nothing;
    }
  },
};

function endOf({ incomplete_details, usage }: Response): Partial<EventContent> {
  const isCutOff = incomplete_details?.reason === "max_output_tokens";
  return {
    finishReason: isCutOff ? "length" : "stop",
    counts: {
      prompt: usage?.input_tokens ?? 0,
      cached: usage?.input_tokens_details?.cached_tokens ?? 0,
      completion: usage?.output_tokens ?? 0,
    },
  };
}
