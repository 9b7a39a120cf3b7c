import {
  type AnswerItem,
  type AnswerRecord,
  findOpenCalls,
  isCall,
  recordOf,
  textOfAnswer,
} from "./turns.js";

/** Next step that is offered after an answer that is not as it should be. */
export type NextStep =
  /** Continues the text where it ended. */
  | "continue"
  /** Replaces the answer. */
  | "retry"
  /** Requests another version, in a branch. */
  | "regenerate"
  /** Continues in another conversation, with a summary of this one. */
  | "summarise";

/** Why an answer ended, if it did not end by itself with a text. */
export interface AnswerEnd {
  readonly text: string;
  readonly isFailure: boolean;
  /** Most suitable first. */
  readonly steps: readonly NextStep[];
}

/**
 * Describes how an answer ended.
 * @param contextTokens context size of the model; `undefined`: unknown
 * @returns `undefined` if there is nothing to say
 */
export function describeEnd(
  items: readonly AnswerItem[],
  contextTokens: number | undefined,
): AnswerEnd | undefined {
  const record = recordOf(items);
  if (record === undefined) return undefined;
  const continuation = isContinuable(items.at(-1)) ? (["continue"] as const) : [];
  switch (record.status) {
    case "failed":
      return {
        text: record.error ?? "The answer failed.",
        isFailure: true,
        steps: ["retry", ...continuation],
      };
    case "cancelled":
      return report("Stopped.", ...continuation, "regenerate");
    case "incomplete":
      return isContextFull(record, contextTokens)
        ? report(describeFullContext(contextTokens), "summarise")
        : report(describeTokenLimit(items), ...continuation, "regenerate");
    default:
      return describeCompleted(items);
  }
}

function report(text: string, ...steps: readonly NextStep[]): AnswerEnd {
  return { text, isFailure: false, steps };
}

/** Whether the server can continue an answer after its last item. */
function isContinuable(last: AnswerItem | undefined): boolean {
  return (last?.type === "message" || last?.type === "reasoning") && last.status === "incomplete";
}

/** Whether an answer has reached the end of the context; the last token may have no place in it. */
function isContextFull({ usage }: AnswerRecord, contextTokens: number | undefined): boolean {
  if (usage === undefined || contextTokens === undefined) return false;
  return usage.total_tokens >= contextTokens - 1;
}

function describeFullContext(contextTokens: number | undefined): string {
  const size = contextTokens?.toLocaleString("en-US");
  return `The context of ${size} tokens is full. The answer ends here.`;
}

function describeTokenLimit(items: readonly AnswerItem[]): string {
  const last = items.at(-1);
  return last !== undefined && isCall(last)
    ? "The maximum number of tokens was reached inside a tool call."
    : "The maximum number of tokens was reached.";
}

function describeCompleted(items: readonly AnswerItem[]): AnswerEnd | undefined {
  const openCalls = findOpenCalls(items).length;
  if (openCalls > 0) {
    const results = openCalls === 1 ? "the result of a tool call" : `${openCalls} tool results`;
    return report(`The answer waits for ${results}.`);
  }
  if (textOfAnswer({ items }).trim() !== "") return undefined;
  const hasThoughts = items.some(({ type }) => type === "reasoning");
  const text = hasThoughts
    ? "The answer is empty: the model ended it after its thoughts."
    : "The answer is empty.";
  return report(text, "regenerate");
}
