import type { RequestRecord, TokenCounts } from "./request-record.js";

/** Parses JSON; `undefined` unless it is an object or an array. */
export function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Counts of a response that reports none. */
export const noTokens: TokenCounts = {
  ...{ prompt: 0, cached: 0, completion: 0 },
  ...{ drafted: 0, accepted: 0, forced: 0 },
};

/** Describes the failure of a request that was answered with a status other than 200. */
export function statusReason(status: number | undefined, content: string): string {
  return `HTTP ${status}: ${content.slice(0, 200)}`;
}

/** Response to a request that is not streamed. */
export interface JsonAnswer {
  readonly record: RequestRecord;
  /** Parsed body; `undefined` if the request failed. */
  readonly body: object | undefined;
}

interface Received {
  /** Absent if there was no response; `content` is then the reason. */
  readonly status: number | undefined;
  readonly content: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

/** Parses a response; of its tokens, only those of the prompt are counted, from `usage`. */
export function toJsonAnswer({ status, content, ...times }: Received): JsonAnswer {
  const empty = { chunkTimesMs: [], tokens: undefined, text: "", finishReason: undefined };
  const failed = (error: string) => ({ record: { ...times, ...empty, error }, body: undefined });
  if (status === undefined) return failed(content);
  if (status !== 200) return failed(statusReason(status, content));
  const body = parseObject(content);
  if (body === undefined)
    return failed(`an answer that is not a JSON object: ${content.slice(0, 80)}`);
  const prompt = promptTokensOf(body);
  const tokens = prompt === undefined ? undefined : { ...noTokens, prompt };
  return { record: { ...times, ...empty, tokens, error: undefined }, body };
}

interface WithUsage {
  /** Token counts; rerankers may report only the total. */
  readonly usage?: { readonly prompt_tokens?: number; readonly total_tokens?: number };
}

function promptTokensOf({ usage }: WithUsage): number | undefined {
  return usage?.prompt_tokens ?? usage?.total_tokens;
}
