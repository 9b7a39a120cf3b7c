export interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

export type Taking =
  | { readonly kind: "streamed" }
  | { readonly kind: "whole" }
  | { readonly kind: "left"; readonly afterPieces: number };

/** What a scenario asks for. */
export interface ChatRequest {
  readonly messages: readonly Message[];
  readonly maxTokens: number;
  /**
   * What ends the answer: its limit, so that every server does the same work (when absent), or the
   * model, before it.
   */
  readonly endedBy?: "limit" | "model";
  /**
   * How the client takes the answer: as a stream, to its end (when absent); in one piece; or as a
   * stream that it leaves, hanging up after some pieces of text.
   */
  readonly taken?: Taking;
  /** Greedy when absent. */
  readonly sampling?: { readonly temperature: number; readonly seed: number };
}

/** The body of a request; streams are asked for with usage. */
export function toBody(
  { messages, maxTokens, endedBy, taken, sampling }: ChatRequest,
  model: string,
) {
  return {
    model,
    messages,
    max_tokens: maxTokens,
    temperature: 0,
    ...sampling,
    ignore_eos: endedBy !== "model",
    ...(taken?.kind !== "whole" && { stream: true, stream_options: { include_usage: true } }),
  };
}
