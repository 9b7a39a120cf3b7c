import assert from "node:assert/strict";
import type { GgufdError } from "../../core/errors.js";
import type { FinishReason, TokenUsage } from "../../core/generation-event.js";
import { sumBy } from "../../core/sum-by.js";
import type { AnswerEvent, FinishedEvent } from "../answers/collected-answer.js";
import { toTimings } from "../fields/usage.js";
import { findCalledTool } from "./called-tool.js";
import type { ErrorEvent, ResponseEvent, UnnumberedEvent } from "./event-schema.js";
import type { ItemStatus } from "./item-schema.js";
import type { McpApprovalRequest, McpListToolsItem } from "./mcp-items.js";
import {
  type CallOutcome,
  OpenApprovalRequest,
  OpenMcpCall,
  printCallEnd,
  printToolList,
  withOutcome,
} from "./mcp-output.js";
import { noServers, type SelectedServer } from "./mcp-tools.js";
import {
  type CallBegin,
  type OpenCall,
  OpenCustomCall,
  OpenFunctionCall,
  OpenMessage,
  OpenPublishedCall,
  OpenReasoning,
  type ReasoningReport,
} from "./output-items.js";
import type { ResponseObject, ResponseUsage } from "./response-schema.js";
import { endsResponse, type RunEvent } from "./run-tools.js";
import type { OfferedTool } from "./tools.js";

/** Callbacks during the generation of a response. */
interface AnswerHooks {
  /**
   * Awaited when the response has ended, before its last event is sent: the client may continue the
   * response at once.
   */
  readonly onEnded: () => Promise<void>;
  /** Called with an error that the response itself reports. */
  readonly onFailed: (error: GgufdError) => void;
}

/**
 * Yields the events of a streamed response. If the client disconnects, there is no last event.
 * @throws {GgufdError} the error that ended the generation before its first event
 */
export async function* toResponseEvents(
  events: AsyncIterable<{ readonly event: RunEvent }>,
  printer: ResponsePrinter,
  { onEnded, onFailed }: AnswerHooks,
): AsyncGenerator<ResponseEvent, void> {
  let hasBegun = false;
  for await (const { event } of events) {
    if (event.type === "cancelled") return;
    if (event.type === "failed" && !hasBegun) throw event.error;
    hasBegun = true;
    const printed = printer.print(event);
    if (event.type === "failed") onFailed(event.error);
    if (endsResponse(event)) await onEnded();
    yield* printed;
  }
}

/**
 * Collects a response that is not streamed. A response that has called tools and fails is returned
 * with its error, because its calls have taken effect.
 * @returns `undefined` if the client disconnected
 * @throws {GgufdError} the error that ended the generation
 */
export async function toResponse(
  events: AsyncIterable<{ readonly event: RunEvent }>,
  printer: ResponsePrinter,
  { onEnded, onFailed }: AnswerHooks,
): Promise<ResponseObject | undefined> {
  for await (const { event } of events) {
    if (event.type === "cancelled") return undefined;
    if (event.type === "failed") {
      if (!printer.hasCalls) throw event.error;
      onFailed(event.error);
    }
    printer.print(event);
  }
  await onEnded();
  return printer.response;
}

/** Event with the response alone. */
type WholeEvent = Exclude<Extract<UnnumberedEvent, { response: unknown }>, { timings: unknown }>;

type OpenItem = OpenMessage | OpenReasoning | OpenCall | OpenMcpCall | OpenApprovalRequest;

interface ResponsePrinterOptions {
  readonly reasoning: ReasoningReport;
  /** Tools that the model may call. */
  readonly tools: readonly OfferedTool[];
  /** Selected MCP servers of the request; absent: none. */
  readonly servers?: readonly SelectedServer[];
  /** Current Unix time in seconds. */
  readonly now: () => number;
}

/**
 * Translates the events of a response's generations and calls to events of a response, in OpenAI's
 * order and numbered from 0, and applies them to the response object. An answer that is not streamed
 * is the final response object.
 */
export class ResponsePrinter {
  readonly #options: ResponsePrinterOptions;
  #response: ResponseObject;
  #nextNumber = 0;
  #stage: "not" | "queued" | "in-progress" = "not";
  #openItem: OpenItem | undefined;
  /** Usage of the current generation, up to the latest text. */
  #usage: TokenUsage | undefined;
  /** Generations that have finished. */
  readonly #finished: FinishedEvent[] = [];

  /** @param response response without output */
  constructor(response: ResponseObject, options: ResponsePrinterOptions) {
    this.#response = response;
    this.#options = options;
  }

  /** Response after the events so far. The object is immutable: later events replace it. */
  get response(): ResponseObject {
    return this.#response;
  }

  /** Returns the first events of a queued response. Call this before any `print`. */
  queue(): readonly ResponseEvent[] {
    assert.equal(this.#stage, "not");
    this.#stage = "queued";
    this.#update({ status: "queued" });
    return this.#numberEvents([
      this.#createWholeEvent("response.created"),
      this.#createWholeEvent("response.queued"),
    ]);
  }

  /** Whether a tool of an MCP server was called. */
  get hasCalls(): boolean {
    return this.#response.output.some(({ type }) => type === "mcp_call");
  }

  /** Translates an event of a generation or a call. */
  print(event: RunEvent): readonly ResponseEvent[] {
    return this.#numberEvents([...this.#begin(), ...this.#translate(event)]);
  }

  /** The `sequence_number` of the next event. */
  get nextNumber(): number {
    return this.#nextNumber;
  }

  #begin(): readonly UnnumberedEvent[] {
    const previousStage = this.#stage;
    if (previousStage === "in-progress") return [];
    this.#stage = "in-progress";
    this.#update({ status: "in_progress" });
    const begin = this.#createWholeEvent("response.in_progress");
    return previousStage === "queued"
      ? [begin]
      : [this.#createWholeEvent("response.created"), begin];
  }

  #translate(event: RunEvent): readonly UnnumberedEvent[] {
    switch (event.type) {
      case "finished":
        return [...this.#finishTurn(event), ...this.#finish(event.reason)];
      case "turn-finished":
        return this.#finishTurn(event.finished);
      case "turns-finished":
        return this.#finish(event.reason);
      case "tools-listed":
        return this.#addList(event.item);
      case "call-approved":
        return this.#addApprovedCall(event.request);
      case "call-ended":
        return this.#endCall(event.callId, event.outcome);
      case "failed": {
        const closing = this.#close("incomplete");
        const error = { code: "server_error", message: event.error.message } as const;
        this.#update({ status: "failed", error, ...this.#usageSoFar() });
        return [...closing, this.#createWholeEvent("response.failed")];
      }
      case "cancelled": {
        const closing = this.#close("incomplete");
        this.#update({ status: "cancelled", ...this.#usageSoFar() });
        return closing;
      }
      default:
        this.#usage = event.usage;
        return this.#add(event);
    }
  }

  #usageSoFar(): Pick<ResponseObject, "usage"> {
    const usages = this.#finished.map(({ usage }) => usage);
    if (this.#usage !== undefined) usages.push(this.#usage);
    return usages.length === 0 ? {} : { usage: toResponseUsage(usages) };
  }

  #addList(item: McpListToolsItem): readonly UnnumberedEvent[] {
    const events = printToolList(item, this.#response.output.length);
    this.#update({ output: [...this.#response.output, item] });
    return events;
  }

  #addApprovedCall(request: McpApprovalRequest): readonly UnnumberedEvent[] {
    const { id, server_label: label, name } = request;
    const call = new OpenMcpCall(this.#response.output.length, { label, name }, id);
    const opening = this.#startItem(call);
    return [...opening, ...call.add(request.arguments), ...this.#close("completed")];
  }

  #endCall(callId: string, outcome: CallOutcome): readonly UnnumberedEvent[] {
    const { output } = this.#response;
    const index = output.findIndex(({ id }) => id === callId);
    const call = output[index];
    assert(call?.type === "mcp_call", "only a call that has begun ends");
    const item = withOutcome(call, outcome);
    this.#update({ output: output.with(index, item) });
    return printCallEnd(item, index);
  }

  #add(event: AnswerEvent): readonly UnnumberedEvent[] {
    const open = this.#openItem;
    switch (event.type) {
      // Translated requests never ask for these events.
      case "prompt-progress":
      case "prompt-scores":
        return [];
      case "text-delta": {
        if (open?.kind === "message") return open.add(event);
        const closing = this.#close("completed");
        const item = new OpenMessage(this.#response.output.length);
        return [...closing, ...this.#startItem(item), ...item.add(event)];
      }
      case "reasoning-delta": {
        if (open?.kind === "reasoning") return open.add(event);
        const closing = this.#close("completed");
        const item = new OpenReasoning(this.#response.output.length, this.#options.reasoning);
        return [...closing, ...this.#startItem(item), ...item.add(event)];
      }
      case "tool-call-begin": {
        const closing = this.#close("completed");
        return [...closing, ...this.#startItem(this.#openCall(event))];
      }
      case "tool-call-arguments":
        return open?.kind === "call" ? open.add(event.text) : [];
    }
  }

  /** Opens a call. An unknown name that the client may know is reported as the model wrote it. */
  #openCall(event: CallBegin): OpenItem {
    const { tools, servers = noServers } = this.#options;
    const outputIndex = this.#response.output.length;
    const found = findCalledTool(event.name, tools, servers);
    // The call ends as not run, and the model continues.
    if (found.type === "unknown") return new OpenMcpCall(outputIndex, found);
    const calledTool = found.type === "offered" ? found.tool : undefined;
    const { kind = "function", name = event.name, namespace } = calledTool ?? {};
    const mcpTool = { label: namespace ?? "", name };
    const clientName = { name, ...(namespace && { namespace }) };
    switch (kind) {
      case "function":
        return new OpenFunctionCall(outputIndex, event, clientName);
      case "custom":
        return new OpenCustomCall(outputIndex, event, clientName);
      case "mcp":
        return calledTool?.requiresApproval
          ? new OpenApprovalRequest(outputIndex, mcpTool)
          : new OpenMcpCall(outputIndex, mcpTool);
      default:
        return new OpenPublishedCall(kind, outputIndex, event);
    }
  }

  #startItem(item: OpenItem): readonly UnnumberedEvent[] {
    assert.equal(this.#openItem, undefined, "the item before it is closed");
    this.#openItem = item;
    return item.open();
  }

  #finishTurn(event: FinishedEvent): readonly UnnumberedEvent[] {
    this.#finished.push(event);
    this.#usage = undefined;
    return this.#close(event.reason === "length" ? "incomplete" : "completed");
  }

  #finish(reason: FinishReason): readonly UnnumberedEvent[] {
    const timings = toTimings(this.#finished);
    this.#update({ ...this.#usageSoFar(), timings });
    if (reason === "length") {
      const incomplete_details = { reason: "max_output_tokens" } as const;
      this.#update({ status: "incomplete", incomplete_details });
      return [{ type: "response.incomplete", response: this.#response, timings }];
    }
    this.#update({ status: "completed", completed_at: this.#options.now() });
    return [{ type: "response.completed", response: this.#response, timings }];
  }

  #close(status: ItemStatus): readonly UnnumberedEvent[] {
    const closedItem = this.#openItem?.close(status);
    this.#openItem = undefined;
    if (closedItem === undefined) return [];
    this.#update({ output: [...this.#response.output, closedItem.item] });
    return closedItem.events;
  }

  #update(changes: Partial<ResponseObject>): void {
    this.#response = { ...this.#response, ...changes };
  }

  #createWholeEvent(type: WholeEvent["type"]): WholeEvent {
    return { type, response: this.#response };
  }

  #numberEvents(events: readonly UnnumberedEvent[]): readonly ResponseEvent[] {
    return events.map((event) => ({ ...event, sequence_number: this.#nextNumber++ }));
  }
}

/** Adds up the token counts of a response's generations. */
function toResponseUsage(usages: readonly TokenUsage[]): ResponseUsage {
  const promptTokens = sumBy(usages, (usage) => usage.promptTokens);
  const cachedTokens = sumBy(usages, (usage) => usage.cachedTokens);
  const completionTokens = sumBy(usages, (usage) => usage.completionTokens);
  const reasoningTokens = sumBy(usages, (usage) => usage.reasoningTokens);
  assert(cachedTokens <= promptTokens && reasoningTokens <= completionTokens);
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  };
}

/** Builds the last event of the stream for an error that the response itself does not report. */
export function toErrorEvent(
  { code, message, param }: GgufdError,
  sequenceNumber: number,
): ErrorEvent {
  return { type: "error", sequence_number: sequenceNumber, code, message, param: param ?? null };
}
