import assert from "node:assert/strict";
import { GgufdError, toClientError } from "../../core/errors.js";
import type { ChoiceEvent, FinishReason, GenerationEvent } from "../../core/generation-event.js";
import { parseKeepingText } from "../../core/json.js";
import { type ToolResult, ToolServerError } from "../../core/tool-servers.js";
import type { FinishedEvent } from "../answers/collected-answer.js";
import { isCall, type OutputItem } from "./item-schema.js";
import type { McpApprovalRequest, McpCallItem, McpListToolsItem } from "./mcp-items.js";
import { CANCELLED_ERROR, type CallOutcome } from "./mcp-output.js";
import type { SelectedServer } from "./mcp-tools.js";

/** Maximum calls of one response. */
export const MAX_CALLS = 32;

/** Time limit of all calls of one response together, in milliseconds. */
const CALLS_LIMIT_MS = 10 * 60_000;

/** Event of a response that calls tools of MCP servers, in addition to those of its generations. */
export type ToolRunEvent =
  | { readonly type: "tools-listed"; readonly item: McpListToolsItem }
  | { readonly type: "call-approved"; readonly request: McpApprovalRequest }
  | { readonly type: "call-ended"; readonly callId: string; readonly outcome: CallOutcome }
  /** A generation has finished, and the response continues. */
  | { readonly type: "turn-finished"; readonly finished: FinishedEvent }
  | { readonly type: "turns-finished"; readonly reason: FinishReason };

/** Event of a response's generations and calls. */
export type RunEvent = GenerationEvent | ToolRunEvent;

/** Whether an event is the last one of a response. */
export function endsResponse(event: RunEvent): boolean {
  return event.type === "turns-finished" || event.type === "finished" || isFailure(event);
}

function isFailure({ type }: RunEvent): boolean {
  return type === "cancelled" || type === "failed";
}

/**
 * Tools that the next generation may call: those of the request; those of the request, but no call
 * is required; or none.
 */
export type NextToolUse = "as-requested" | "optional" | "none";

export interface ToolRunOptions {
  /** Returns the output so far: events that were yielded before have been applied to it. */
  readonly output: () => readonly OutputItem[];
  readonly servers: readonly SelectedServer[];
  /** Lists of tools to report. */
  readonly lists: readonly McpListToolsItem[];
  /** Approved calls to run before the first generation. */
  readonly approved: readonly McpApprovalRequest[];
  /** First generation; absent if it depends on approved calls. */
  readonly first: AsyncIterable<ChoiceEvent> | undefined;
  /** Submits the generation that continues the output. */
  readonly submit: (
    turn: number,
    toolUse: NextToolUse,
    outputTokens: number,
  ) => Promise<AsyncIterable<ChoiceEvent>>;
  /** Makes it durable that a call begins. */
  readonly recordCall: (call: McpCallItem) => Promise<void>;
  readonly maxCalls: number;
  readonly maxOutputTokens: number;
  readonly callTimeoutMs: number;
  /** Whether the model accepts images. */
  readonly acceptsImages: boolean;
  readonly signal: AbortSignal;
}

/**
 * Generates a response whose model calls tools of MCP servers: generates, calls, and generates
 * again, until an answer needs no call, or needs the client. No slot is used during a call. Never
 * throws: a failure is the last event.
 */
export async function* runTools(
  options: ToolRunOptions,
): AsyncGenerator<{ readonly event: RunEvent }, void> {
  const { signal } = options;
  try {
    for await (const event of new ToolRun(options).run()) yield { event };
  } catch (thrown) {
    if (!signal.aborted) yield { event: { type: "failed", error: toClientError(thrown) } };
    else if (signal.reason instanceof GgufdError) {
      yield { event: { type: "failed", error: signal.reason } };
    } else yield { event: { type: "cancelled" } };
  }
}

class ToolRun {
  readonly #options: ToolRunOptions;
  readonly #deadlineMs = performance.now() + CALLS_LIMIT_MS;
  #calls = 0;
  #isLimitReached = false;

  constructor(options: ToolRunOptions) {
    this.#options = options;
  }

  async *run(): AsyncGenerator<RunEvent, void> {
    const { lists, approved, first, submit, output, maxOutputTokens } = this.#options;
    for (const item of lists) yield { type: "tools-listed", item };
    for (const request of approved) yield { type: "call-approved", request };
    yield* this.#runCalls(findPendingCalls(output()));
    let events = first ?? (await submit(0, "as-requested", 0));
    let outputTokens = 0;
    let isLastTurn = false;
    for (let turn = 1; ; turn++) {
      const turnStart = output().length;
      const finished = yield* readTurn(events);
      if (finished === undefined) return;
      const calls = findPendingCalls(output());
      outputTokens += finished.usage.completionTokens;
      if (finished.reason === "length" || outputTokens >= maxOutputTokens) {
        for (const call of calls) yield endCall(call, notRun("the token limit is reached"));
        yield { type: "turns-finished", reason: calls.length > 0 ? "length" : finished.reason };
        return;
      }
      const needsClient = output().slice(turnStart).some(waitsForClient);
      yield* this.#runCalls(calls);
      if (calls.length === 0 || needsClient || isLastTurn) {
        yield { type: "turns-finished", reason: finished.reason };
        return;
      }
      // A model may call without being offered tools, and would do so again.
      isLastTurn = this.#isLimitReached;
      events = await submit(turn, isLastTurn ? "none" : "optional", outputTokens);
    }
  }

  /** Runs calls one after the other. */
  async *#runCalls(calls: readonly McpCallItem[]): AsyncGenerator<RunEvent, void> {
    for (const [index, call] of calls.entries()) {
      let outcome: CallOutcome;
      try {
        outcome = await this.#runCall(call);
      } catch (error) {
        yield endCall(call, { status: "incomplete", error: CANCELLED_ERROR });
        for (const later of calls.slice(index + 1)) {
          yield endCall(later, notRun("the response was cancelled"));
        }
        throw error;
      }
      yield endCall(call, outcome);
    }
  }

  /** @throws the reason of the signal, if it is aborted */
  async #runCall(call: McpCallItem): Promise<CallOutcome> {
    const { servers, maxCalls, callTimeoutMs, signal, recordCall } = this.#options;
    signal.throwIfAborted();
    const timeoutMs = Math.min(callTimeoutMs, this.#deadlineMs - performance.now());
    if (this.#calls >= maxCalls || timeoutMs <= 0) {
      this.#isLimitReached = true;
      return notRun(
        timeoutMs <= 0
          ? "the time limit of the calls of a response is reached"
          : `a response may make at most ${maxCalls} calls`,
      );
    }
    this.#calls++;
    const selected = servers.find(({ label }) => label === call.server_label);
    if (!selected?.tools.some(({ name }) => name === call.name)) {
      return notRun(selected?.error ?? "unknown tool, or not allowed");
    }
    const args = parseKeepingText(call.arguments.trim() === "" ? "{}" : call.arguments);
    if (args === undefined) return notRun("the arguments are not a JSON object");
    try {
      await recordCall(call);
    } catch (error) {
      return notRun(toClientError(error).message);
    }
    try {
      return this.#toOutcome(await selected.server.call(call.name, args, { signal, timeoutMs }));
    } catch (error) {
      if (signal.aborted || !(error instanceof ToolServerError)) throw error;
      return { status: "failed", error: error.message };
    }
  }

  #toOutcome({ text, images, isError }: ToolResult): CallOutcome {
    if (isError) return { status: "failed", error: text === "" ? "The tool failed." : text };
    if (this.#options.acceptsImages) return { status: "completed", output: text, images };
    const notes = images.map(
      ({ mimeType }) => `[image omitted: ${mimeType}; the model does not accept images]`,
    );
    return {
      status: "completed",
      output: [...(text === "" ? [] : [text]), ...notes].join("\n"),
      images: [],
    };
  }
}

/** Yields the events of a generation. @returns `undefined` if it failed or was cancelled */
async function* readTurn(
  events: AsyncIterable<ChoiceEvent>,
): AsyncGenerator<RunEvent, FinishedEvent | undefined> {
  for await (const { event } of events) {
    if (event.type === "finished") {
      yield { type: "turn-finished", finished: event };
      return event;
    }
    yield event;
    if (isFailure(event)) return undefined;
  }
  return assert.fail("a generation ends with a final event");
}

function endCall({ id }: McpCallItem, outcome: CallOutcome): ToolRunEvent {
  return { type: "call-ended", callId: id, outcome };
}

function notRun(reason: string): CallOutcome {
  return { status: "failed", error: `Not run: ${reason}` };
}

function findPendingCalls(output: readonly OutputItem[]): readonly McpCallItem[] {
  return output.filter((item) => item.type === "mcp_call").filter(isPending);
}

function isPending({ status }: McpCallItem): boolean {
  return status === "calling";
}

/** Whether the response cannot continue before the client has acted on an item. */
function waitsForClient(item: OutputItem): boolean {
  return item.type === "mcp_approval_request" || isCall(item);
}
