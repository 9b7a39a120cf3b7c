import { isDeepStrictEqual } from "node:util";

import type { Expectation, ToolCall } from "../corpus/conversation.js";

/** Answer of the server. */
export interface Answer {
  readonly content: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly finishReason: string;
}

/** Parsed calls; undefined if one of them has arguments that are not a JSON object. */
export function parsedCalls(answer: Answer): ToolCall[] | undefined {
  const calls: ToolCall[] = [];
  for (const { name, arguments: text } of answer.calls) {
    const value = parseObject(text);
    if (value === undefined) return undefined;
    calls.push({ name, arguments: value });
  }
  return calls;
}

/** Parses a JSON object; undefined for other texts. */
export function parseObject(text: string): ToolCall["arguments"] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as ToolCall["arguments"]) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the model ended its message by itself. */
export function endsTurn(answer: Answer): boolean {
  return answer.finishReason === "stop" || answer.finishReason === "tool_calls";
}

/** Whether calls are complete: none left in the text, all arguments parse. */
export function wellFormedCalls(answer: Answer): boolean {
  return (
    answer.calls.length > 0 &&
    !answer.content.includes("<tool_call>") &&
    parsedCalls(answer) !== undefined
  );
}

/** Whether an answer satisfies the prompt's expectation. */
export function isRight(expect: Expectation, answer: Answer): boolean {
  const text = answer.content.trim();
  switch (expect.kind) {
    case "equals":
      return text === expect.text && answer.calls.length === 0;
    case "contains":
      return expect.all.every((part) => holds(text, part));
    case "any":
      return expect.of.some((part) => text.includes(part));
    case "json":
      return isDeepStrictEqual(parseObject(text), expect.value);
    case "calls":
      return isDeepStrictEqual(parsedCalls(answer), [...expect.calls]);
    case "no-call":
      return answer.calls.length === 0 && !text.includes("<tool_call>") && text !== "";
    case "items":
      return isListOf(expect.count, text);
    case "upper-case":
      return text === text.toUpperCase() && expect.all.every((part) => text.includes(part));
  }
}

/** Whether a text is a numbered or dashed list of this many distinct items. */
function isListOf(count: number, text: string): boolean {
  const items = text.split("\n").flatMap((line) => /^(?:\d+\.|-) (\S.*)/.exec(line)?.[1] ?? []);
  return items.length === count && new Set(items).size === count;
}

/** Whether a text contains a part as a whole: 42 does not contain the number 4. */
function holds(text: string, part: string): boolean {
  const quoted = part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(^|[^\\p{L}\\p{N}])${quoted}($|[^\\p{L}\\p{N}])`, "iu").test(text);
}
