export interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** What a scenario asks for. */
export interface ChatRequest {
  readonly messages: readonly Message[];
  readonly maxTokens: number;
  /**
   * What ends the answer: its limit, so that every server does the same work (when absent), or the
   * model, before it.
   */
  readonly endedBy?: "limit" | "model";
  /** Greedy when absent. */
  readonly sampling?: { readonly temperature: number; readonly seed: number };
}

/** The body of a request, streamed and with usage. */
export function toBody({ messages, maxTokens, endedBy, sampling }: ChatRequest, model: string) {
  return {
    model,
    messages,
    max_tokens: maxTokens,
    temperature: 0,
    ...sampling,
    ignore_eos: endedBy !== "model",
    stream: true,
    stream_options: { include_usage: true },
  };
}
