import type { TokenCounts } from "../request-record.js";

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
