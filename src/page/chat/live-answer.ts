import type { ResponseEvent } from "../../api/responses/event-schema.js";
import type { OutputItem } from "../../api/responses/item-schema.js";
import type { ResponseObject } from "../../api/responses/response-schema.js";

/** An answer in progress. */
export interface LiveAnswer {
  /** `undefined`: the server has not started. */
  readonly responseId: string | undefined;
  readonly state: "waiting" | "answering" | "ended";
  readonly items: readonly OutputItem[];
  /** Number of the last event received; a reconnect continues from there. */
  readonly lastEvent: number;
  /** Status of the response once it has ended. */
  readonly status?: ResponseObject["status"] | undefined;
  /** Why the answer ended early, as reported by the server. */
  readonly error?: string | undefined;
}

export const waitingAnswer: LiveAnswer = {
  responseId: undefined,
  state: "waiting",
  items: [],
  lastEvent: -1,
};

/** Applies an event to an answer. Events that were applied before have no effect. */
export function withEvent(answer: LiveAnswer, event: ResponseEvent): LiveAnswer {
  if (event.sequence_number <= answer.lastEvent) return answer;
  return { ...answer, ...computeChange(answer, event), lastEvent: event.sequence_number };
}

function computeChange(answer: LiveAnswer, event: ResponseEvent): Partial<LiveAnswer> {
  switch (event.type) {
    case "response.created":
    case "response.queued":
      return { responseId: event.response.id };
    case "response.in_progress":
      return { responseId: event.response.id, state: "answering" };
    case "response.completed":
    case "response.incomplete":
      return { ...toEnd(event.response), responseId: event.response.id };
    case "response.failed":
      return {
        ...toEnd(event.response),
        responseId: event.response.id,
        error: event.response.error?.message,
      };
    case "error":
      return { state: "ended", error: event.message };
    case "response.output_item.added":
    case "response.output_item.done":
      return { state: "answering", items: placeItem(answer.items, event.output_index, event.item) };
    case "response.output_text.delta":
    case "response.reasoning_text.delta":
    case "response.reasoning_summary_text.delta":
    case "response.function_call_arguments.delta":
    case "response.mcp_call_arguments.delta":
    case "response.custom_tool_call_input.delta": {
      const item = answer.items[event.output_index];
      if (item === undefined) return {};
      return { items: placeItem(answer.items, event.output_index, withDelta(item, event.delta)) };
    }
    default:
      return {};
  }
}

/** Returns the end of an answer with the output and the status of its response. */
export function toEnd({ output: items, status }: Pick<ResponseObject, "output" | "status">) {
  return { state: "ended", items, status } as const;
}

function placeItem(
  items: readonly OutputItem[],
  index: number,
  item: OutputItem,
): readonly OutputItem[] {
  return index < items.length ? items.with(index, item) : [...items, item];
}

/** Appends to an item's content; an item has one part of each kind at a time. */
function withDelta(item: OutputItem, delta: string): OutputItem {
  switch (item.type) {
    case "message": {
      const last = item.content.at(-1);
      const before = last?.type === "output_text" ? item.content.slice(0, -1) : item.content;
      const text = (last?.type === "output_text" ? last.text : "") + delta;
      return {
        ...item,
        content: [...before, { type: "output_text", text, annotations: [], logprobs: [] }],
      };
    }
    case "reasoning": {
      const text = (item.content?.at(-1)?.text ?? "") + delta;
      return { ...item, content: [{ type: "reasoning_text", text }] };
    }
    case "function_call":
    case "mcp_call":
      return { ...item, arguments: item.arguments + delta };
    case "custom_tool_call":
      return { ...item, input: item.input + delta };
    default:
      return item;
  }
}
