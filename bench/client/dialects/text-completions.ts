import { type ChatRequest, toBody } from "../chat-request.js";
import { type Timings, toCounts, type Usage } from "./chat-completions.js";
import type { Dialect, EventContent } from "./dialect.js";

interface Chunk {
  readonly choices?: readonly { readonly text?: string; readonly finish_reason?: string | null }[];
  readonly usage?: Usage | null;
  readonly timings?: Timings;
  readonly error?: { readonly message?: string };
}

/** `POST /v1/completions`; the request's messages become the verbatim prompt. */
export const textCompletions: Dialect = {
  name: "completions",
  path: "completions",
  framing: "server-sent events",
  lastEvent: "[DONE]",
  toBody(request: ChatRequest, model) {
    const { messages: _, ...shared } = toBody(request, model);
    return { ...shared, prompt: request.messages.map(({ content }) => content).join("") };
  },
  readEvent({ choices = [], usage, timings, error }: Chunk): EventContent {
    const text = choices.map((choice) => choice.text ?? "").join("");
    return {
      showsTokens: text !== "",
      text,
      finishReason:
        choices.findLast(({ finish_reason }) => finish_reason)?.finish_reason ?? undefined,
      counts: toCounts(usage, timings),
      error: error && (error.message ?? "an error event"),
    };
  },
};
