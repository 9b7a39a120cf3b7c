import { toBody } from "../chat-request.js";
import type { Dialect, EventContent } from "./dialect.js";
import { type Timings, toCounts, type Usage } from "./openai-usage.js";

/** Fields that are read from a chunk; all of them are optional. */
interface Chunk {
  readonly choices?: readonly Choice[];
  readonly usage?: Usage | null;
  readonly timings?: Timings;
  readonly error?: { readonly message?: string };
}

interface Choice {
  readonly delta?: Delta;
  /** Present in responses that are not streamed. */
  readonly message?: Delta;
  readonly finish_reason?: string | null;
}

interface Delta {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly { readonly function?: { readonly arguments?: string } }[];
}

/** `POST /v1/chat/completions` */
export const chatCompletions: Dialect = {
  name: "chat completions",
  path: "chat/completions",
  framing: "server-sent events",
  lastEvent: "[DONE]",
  toBody,
  readEvent: ({ choices = [], usage, timings, error }: Chunk): EventContent => ({
    showsTokens: choices.some(({ delta }) => delta !== undefined && hasText(delta)),
    text: choices.map(({ delta, message }) => textOf(delta ?? message ?? {})).join(""),
    finishReason:
      choices.findLast(({ finish_reason }) => finish_reason)?.finish_reason ?? undefined,
    counts: toCounts(usage, timings),
    error: error && (error.message ?? "an error event"),
  }),
};

function hasText({ content, reasoning_content, tool_calls }: Delta): boolean {
  return Boolean(content || reasoning_content || tool_calls?.length);
}

function textOf({ content, tool_calls = [] }: Delta): string {
  return (content ?? "") + tool_calls.map((call) => call.function?.arguments ?? "").join("");
}
