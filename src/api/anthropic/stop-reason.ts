import type { FinishedEvent } from "../answers/collected-answer.js";
import type { Message } from "./response-schema.js";

/** Why a message ended, in Anthropic's values. */
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
