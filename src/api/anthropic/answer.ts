import assert from "node:assert/strict";
import type { ChoiceEvent, TokenUsage } from "../../core/generation-event.js";
import { parseKeepingText } from "../../core/json.js";
import type { AnswerEvent, FinishedEvent } from "../answers/collected-answer.js";
import type { ContentBlock, Message, MessageDeltaUsage, MessageUsage } from "./response-schema.js";
import { createSignature, type ThinkingDisplay } from "./thinking.js";

/** Properties of a message that are known before its generation. */
export interface MessageIdentity {
  readonly id: string;
  /** Alias of the served model. */
  readonly model: string;
  readonly thinking: ThinkingDisplay;
}

/** Builds the body of a message that is not streamed. */
export function toMessage(
  { blocks, finished }: CollectedBlocks,
  { id, model, thinking }: MessageIdentity,
): Message {
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content: blocks.map((block) => toContentBlock(block, thinking)),
    ...toStopReason(finished),
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: toUsage(finished.usage),
  };
}

function toContentBlock(block: CollectedBlock, display: ThinkingDisplay): ContentBlock {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text, citations: [] };
    case "thinking":
      return {
        type: "thinking",
        thinking: display === "shown" ? block.text : "",
        signature: createSignature(block.text, display),
      };
    case "tool_use": {
      const { id, name, json } = block;
      // Empty if the token limit cut off the arguments, which the stop reason reports.
      const input = parseKeepingText(json) ?? {};
      return { type: "tool_use", id, name, input, caller: { type: "direct" } };
    }
  }
}

/** Content block generated so far. */
type CollectedBlock =
  | { readonly type: "text" | "thinking"; text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; json: string };

/** Finished generation, as content blocks. */
interface CollectedBlocks {
  readonly blocks: readonly CollectedBlock[];
  readonly finished: FinishedEvent;
}

/**
 * Collects a generation into the same content blocks as its stream would have: models may think or
 * write between and after their calls.
 * @returns `undefined` if the client disconnected
 * @throws {GgufdError} the error that ended the generation
 */
export async function collectBlocks(
  events: AsyncIterable<ChoiceEvent>,
): Promise<CollectedBlocks | undefined> {
  const blocks: CollectedBlock[] = [];
  for await (const { event } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return undefined;
    if (event.type === "finished") return { blocks, finished: event };
    add(blocks, event);
  }
  return undefined;
}

function add(blocks: CollectedBlock[], event: AnswerEvent): void {
  switch (event.type) {
    case "text-delta":
      addText(blocks, "text", event.text);
      break;
    case "reasoning-delta":
      addText(blocks, "thinking", event.text);
      break;
    case "tool-call-begin":
      blocks.push({ type: "tool_use", id: event.id, name: event.name, json: "" });
      break;
    case "tool-call-arguments": {
      const last = blocks.at(-1);
      if (last?.type === "tool_use") last.json += event.text;
    }
  }
}

function addText(blocks: CollectedBlock[], type: "text" | "thinking", text: string): void {
  const last = blocks.at(-1);
  if (last?.type === type) last.text += text;
  else blocks.push({ type, text });
}

/** Converts a finish reason to Anthropic's `stop_reason` and `stop_sequence`. */
export function toStopReason({
  reason,
  stopString,
}: Pick<FinishedEvent, "reason" | "stopString">): Pick<Message, "stop_reason" | "stop_sequence"> {
  switch (reason) {
    case "tool-calls":
      return { stop_reason: "tool_use", stop_sequence: null };
    case "length":
      return { stop_reason: "max_tokens", stop_sequence: null };
    case "stop":
      return stopString === undefined
        ? { stop_reason: "end_turn", stop_sequence: null }
        : { stop_reason: "stop_sequence", stop_sequence: stopString };
  }
}

/**
 * Converts the usage of a message so far. Cached prompt tokens are not counted as input. No tokens
 * are reported as cache creation, which this server does not count separately.
 */
export function toDeltaUsage(usage: TokenUsage): MessageDeltaUsage {
  assert(usage.cachedTokens <= usage.promptTokens);
  return {
    input_tokens: usage.promptTokens - usage.cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cachedTokens,
    output_tokens: usage.completionTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
    server_tool_use: null,
  };
}

/** Converts the usage of a message so far to the fields of a complete message. */
export function toUsage(usage: TokenUsage): MessageUsage {
  return {
    ...toDeltaUsage(usage),
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    inference_geo: null,
    service_tier: "standard",
    speed: null,
  };
}
