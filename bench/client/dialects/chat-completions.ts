import { toBody } from "../chat-request.js";
import type { TokenCounts } from "../request-record.js";
import type { Dialect, EventContent } from "./dialect.js";

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

/** `usage` of chat and text completions. */
export interface Usage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null;
}

/** `timings` of llama-server and ggufd. */
export interface Timings {
  readonly cache_n?: number;
  readonly draft_n?: number;
  readonly draft_n_accepted?: number;
  readonly forced_n?: number;
}

/** Token counts of a chunk. Cached tokens come from the usage, or else from the timings. */
export function toCounts(
  usage: Usage | null | undefined,
  timings: Timings | undefined,
): Partial<TokenCounts> {
  const cached = usage?.prompt_tokens_details?.cached_tokens ?? timings?.cache_n;
  return {
    ...(cached !== undefined && { cached }),
    ...(usage && { prompt: usage.prompt_tokens ?? 0, completion: usage.completion_tokens ?? 0 }),
    ...(timings && {
      drafted: timings.draft_n ?? 0,
      accepted: timings.draft_n_accepted ?? 0,
      forced: timings.forced_n ?? 0,
    }),
  };
}
