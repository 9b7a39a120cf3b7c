import type { GenerationEvent, TokenUsage } from "../../src/core/generation-event.js";
import type {
  GenerationStage,
  RequestBeginning,
  RequestEnd,
} from "../../src/core/request-observer.js";
import {
  type RecordClock,
  type RequestReporter,
  recordRequests,
} from "../../src/telemetry/record-requests.js";
import type { RequestRecord } from "../../src/telemetry/request-record.js";

export const BEGAN_AT_EPOCH_MS = 1_790_000_000_000;

/** Clock that the test advances. */
export class TestClock implements RecordClock {
  /** Far from 0, and no integer, as a real one. */
  #nowMs = 12_345.678;

  epochMs(): number {
    return BEGAN_AT_EPOCH_MS;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }
}

export const chatRequest: RequestBeginning = {
  id: "req_1",
  method: "POST",
  path: "/v1/chat/completions",
  route: "/v1/chat/completions",
  clientAddress: "192.0.2.1",
};

export function requestEnd(given: Partial<RequestEnd> = {}): RequestEnd {
  return { status: 200, durationMs: 100, delivery: "complete", ...given };
}

export function waiting(
  given: { promptTokens?: number; sharesPrompt?: true; adapters?: readonly string[] } = {},
) {
  return { type: "waiting", model: "mini", promptTokens: 20, ...given } as const;
}

export const running: GenerationStage = { type: "running" };

export function usage(given: Partial<TokenUsage> = {}): TokenUsage {
  return { promptTokens: 20, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0, ...given };
}

export function text(completionTokens: number, given: Partial<TokenUsage> = {}): GenerationStage {
  return event({ type: "text-delta", text: "word", usage: usage({ completionTokens, ...given }) });
}

export function finished(
  reason: "stop" | "length" | "tool-calls",
  given: Partial<TokenUsage> = {},
): GenerationStage {
  const timings = {
    prefillMs: 1,
    decodeMs: 1,
    draftTokens: 0,
    acceptedDraftTokens: 0,
    forcedTokens: 0,
  };
  return event({ type: "finished", reason, usage: usage(given), timings });
}

export function event(generationEvent: GenerationEvent): GenerationStage {
  return { type: "event", event: generationEvent };
}

/** Request whose stages the test controls, and its reports. */
export function followedRequest(
  beginning: RequestBeginning = chatRequest,
  others: readonly RequestReporter[] = [],
) {
  const clock = new TestClock();
  const records: RequestRecord[] = [];
  const reporter: RequestReporter = {
    begin: () => ({ complete: (record) => records.push(record) }),
  };
  const observation = recordRequests([...others, reporter], clock).begin(beginning);
  const { observe, responseHeaders } = observation;
  return {
    clock,
    records,
    observe,
    responseHeaders,
    end: (end: RequestEnd) => observation.end(end),
  };
}
