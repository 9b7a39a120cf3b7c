import type { FinishReason, GenerationEvent, TokenScore } from "../../core/generation-event.js";
import type { ToolCall } from "../../core/generation-request.js";
import { toFinishReason } from "./finish-reason.js";
import type { CallField } from "./functions-as-tools.js";
import { toLogprobs } from "./logprobs.js";
import type { Completion } from "./response-schema.js";

type Choice = Completion["choices"][number];
type Message = Choice["message"];
/** An event that adds to an answer. */
export type AnswerEvent = Exclude<GenerationEvent, { type: "finished" | "cancelled" | "failed" }>;

/** A call as far as it has arrived. */
interface CollectedCall extends Omit<ToolCall, "arguments"> {
  arguments: string;
}

/** Collects the events of one choice of a completion that is not streamed. */
export class CollectedChoice {
  readonly #callField: CallField;
  #content = "";
  #reasoning = "";
  readonly #calls: CollectedCall[] = [];
  #scores: TokenScore[] | undefined;

  constructor(callField: CallField) {
    this.#callField = callField;
  }

  add(event: AnswerEvent): void {
    switch (event.type) {
      case "text-delta":
        this.#content += event.text;
        if (event.scores !== undefined) {
          this.#scores ??= [];
          this.#scores.push(...event.scores);
        }
        break;
      case "reasoning-delta":
        this.#reasoning += event.text;
        break;
      case "tool-call-begin":
        this.#calls.push({ id: event.id, name: event.name, arguments: "" });
        break;
      case "tool-call-arguments": {
        const call = this.#calls[event.index];
        if (call !== undefined) call.arguments += event.text;
      }
    }
  }

  /** The choice, once it has ended. */
  toChoice(index: number, reason: FinishReason): Choice {
    return {
      index,
      message: this.#toMessage(),
      logprobs: this.#scores === undefined ? null : toLogprobs(this.#scores),
      finish_reason: toFinishReason(reason, this.#callField),
    };
  }

  /** `content` is null for tool calls without text, as in OpenAI's responses. */
  #toMessage(): Message {
    const hasCalls = this.#calls.length > 0;
    return {
      role: "assistant",
      content: this.#content === "" && hasCalls ? null : this.#content,
      refusal: null,
      ...(this.#reasoning !== "" && { reasoning_content: this.#reasoning }),
      ...this.#toCalls(),
    };
  }

  #toCalls(): Pick<Message, CallField> {
    const [first] = this.#calls;
    if (first === undefined) return {};
    if (this.#callField === "tool_calls") return { tool_calls: this.#calls.map(toToolCall) };
    return { function_call: { name: first.name, arguments: first.arguments } };
  }
}

function toToolCall(call: ToolCall): NonNullable<Message["tool_calls"]>[number] {
  return {
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  };
}
