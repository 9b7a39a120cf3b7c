export interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
  /** URL of an image that precedes the text; supported by chat completions only. */
  readonly image?: string;
}

/** Complete stream, complete response body, or stream that the client closes early. */
export type ResponseMode =
  | { readonly kind: "streamed" }
  | { readonly kind: "non-streamed" }
  | { readonly kind: "cancelled"; readonly afterChunks: number }
  | { readonly kind: "stopped"; readonly by: AbortSignal };

/** Request for one answer. */
export interface ChatRequest {
  /** @default the first model of the server */
  readonly model?: string;
  readonly messages: readonly Message[];
  readonly maxTokens: number;
  /**
   * End of the answer: always the token limit, so that every server does the same work, or the
   * model's end-of-sequence token if it comes first.
   * @default "limit"
   */
  readonly endedBy?: "limit" | "model";
  /** @default { kind: "streamed" } */
  readonly mode?: ResponseMode;
  /** Absent: greedy decoding. */
  readonly sampling?: { readonly temperature: number; readonly seed: number };
  /** Further members of the body, e.g. `tools`. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** Whether the answer is streamed. */
export function streams({ mode }: ChatRequest): boolean {
  return mode?.kind !== "non-streamed";
}

/** The body of a chat completion request; streams include usage. */
export function toBody(request: ChatRequest, model: string) {
  const { messages, maxTokens, endedBy, sampling, members } = request;
  return {
    model,
    messages: messages.map(toMessage),
    max_tokens: maxTokens,
    temperature: 0,
    ...sampling,
    ignore_eos: endedBy !== "model",
    ...(streams(request) && { stream: true, stream_options: { include_usage: true } }),
    ...members,
  };
}

function toMessage({ role, content, image }: Message) {
  if (image === undefined) return { role, content };
  const parts = [
    { type: "image_url", image_url: { url: image } },
    { type: "text", text: content },
  ] as const;
  return { role, content: parts };
}
