import type {
  GenerationEvent,
  GenerationTimings,
  TokenUsage,
} from "../../core/generation-event.js";
import { type CallIdStyle, createCallId } from "../text/output/call-ids.js";
import type { OutputPart } from "../text/output/output-piece.js";
import type { AnswerScores } from "./token-scores.js";

export interface AnswerEventsOptions {
  readonly emit: (event: GenerationEvent) => void;
  /** Style of generated ids, for tool calls that the model writes without one. */
  readonly callIds: CallIdStyle;
  /** Number of tool calls after which the answer ends; absent: no limit. */
  readonly maxToolCalls?: number | undefined;
  /** Log-probabilities of the answer; absent: not reported. */
  readonly scores: AnswerScores | undefined;
  /** Returns the timings reported with each text; absent: not reported with texts. */
  readonly timings?: (() => GenerationTimings) | undefined;
}

/** Emits the parsed parts of an answer as events, and counts its tool calls. */
export class AnswerEvents {
  readonly #options: AnswerEventsOptions;
  #callsBegun = 0;
  #callsEnded = 0;

  constructor(options: AnswerEventsOptions) {
    this.#options = options;
  }

  get hasCalls(): boolean {
    return this.#callsBegun > 0;
  }

  get hasEnoughCalls(): boolean {
    const { maxToolCalls = Number.POSITIVE_INFINITY } = this.#options;
    return this.#callsEnded >= maxToolCalls;
  }

  /** Emits parts; drops all parts after the last allowed tool call. */
  emit(parts: readonly OutputPart[], usage: TokenUsage): void {
    const { emit, callIds, scores: answerScores, timings: readTimings } = this.#options;
    for (const part of parts) {
      if (this.hasEnoughCalls) return;
      switch (part.type) {
        case "text": {
          const { text } = part;
          const scores = answerScores?.takeWith(part.spans);
          const timings = readTimings?.();
          emit({
            type: "text-delta",
            text,
            ...(scores && { scores }),
            ...(timings && { timings }),
            usage,
          });
          break;
        }
        case "reasoning":
          answerScores?.takeWith(part.spans);
          emit({ type: "reasoning-delta", text: part.text, usage });
          break;
        case "tool-call-begin": {
          const index = this.#callsBegun++;
          const { name, id = createCallId(callIds, name, index) } = part;
          emit({ type: "tool-call-begin", index, id, name, usage });
          break;
        }
        case "tool-call-arguments": {
          const index = this.#callsBegun - 1;
          emit({ type: "tool-call-arguments", index, text: part.text, usage });
          break;
        }
        case "tool-call-end":
          this.#callsEnded++;
      }
    }
  }
}
