import type { GenerationEvent } from "../../core/generation-event.js";
import type { ToolCall } from "../../core/generation-request.js";
import { toFinishReason } from "./finish-reason.js";
import type { Completion } from "./response-schema.js";
import { toTimings, toUsage } from "./usage.js";

/** The fields that are the same in every chunk of one completion. */
export interface CompletionIdentity {
  readonly id: string;
  /** Unix time in seconds. */
  readonly created: number;
  /** The alias of the served model. */
  readonly model: string;
  readonly systemFingerprint: string;
}

type Message = Completion["choices"][number]["message"];

/**
 * Collects a generation into one completion.
 * @returns `undefined` when the client disconnected.
 * @throws {GgufdError} the error that ended the generation.
 */
export async function toCompletion(
  events: AsyncIterable<GenerationEvent>,
  identity: CompletionIdentity,
): Promise<Completion | undefined> {
  let content = "";
  let reasoning = "";
  const calls: ToolCall[] = [];
  for await (const event of events) {
    switch (event.type) {
      case "text-delta":
        content += event.text;
        break;
      case "reasoning-delta":
        reasoning += event.text;
        break;
      case "tool-call":
        calls.push(event.call);
        break;
      case "finished":
        return {
          id: identity.id,
          object: "chat.completion",
          created: identity.created,
          model: identity.model,
          system_fingerprint: identity.systemFingerprint,
          choices: [
            {
              index: 0,
              message: toMessage(content, reasoning, calls),
              logprobs: null,
              finish_reason: toFinishReason(event.reason),
            },
          ],
          usage: toUsage(event.usage),
          timings: toTimings(event.usage, event.timings),
        };
      case "failed":
        throw event.error;
      case "cancelled":
        return undefined;
    }
  }
  return undefined;
}

/** `content` is null for tool calls without text, as in OpenAI's responses. */
function toMessage(content: string, reasoning: string, calls: readonly ToolCall[]): Message {
  return {
    role: "assistant",
    content: content === "" && calls.length > 0 ? null : content,
    refusal: null,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(toToolCall) }),
  };
}

function toToolCall(call: ToolCall): NonNullable<Message["tool_calls"]>[number] {
  return {
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  };
}
