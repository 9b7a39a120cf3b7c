import { createRefusal } from "../../../core/errors.js";
import type {
  ChatPrompt,
  GenerationRequest,
  ReasoningBudget,
} from "../../../core/generation-request.js";
import type { ReasoningFormat } from "../../../core/output-format.js";
import { REASONING_MARKS } from "../output/conventions/reasoning-marks.js";
import type { AnswerForm } from "./answer-form.js";
import type { ReasoningClosing, ReasoningLimit } from "./prepared-generation.js";

/**
 * Adds a default reasoning budget to a conversation whose request has none.
 * @param maxTokens -1: unlimited
 */
export function withDefaultBudget(
  request: GenerationRequest,
  maxTokens: number,
): GenerationRequest {
  const { prompt, reasoningBudget = defaultBudget(maxTokens) } = request;
  if (prompt.type !== "chat" || reasoningBudget === undefined) return request;
  return { ...request, reasoningBudget };
}

/**
 * Returns the budget of a conversation without one.
 * @param maxTokens -1: unlimited
 */
export function defaultBudget(maxTokens: number): ReasoningBudget | undefined {
  return maxTokens < 0 ? undefined : { maxTokens };
}

/**
 * Adds a reasoning budget to a prompt: templates can read `thinking_budget`, and a budget of 0
 * turns thinking off if the template has a switch.
 */
export function withReasoningBudget(
  prompt: ChatPrompt,
  budget: ReasoningBudget | undefined,
): ChatPrompt {
  if (budget === undefined) return prompt;
  const { maxTokens } = budget;
  const templateVariables = {
    thinking_budget: maxTokens,
    ...prompt.templateVariables,
    ...(maxTokens === 0 && { enable_thinking: false }),
  };
  return { ...prompt, templateVariables };
}

/**
 * Returns the reasoning limit of an answer: that of its budget, or none until a client ends the
 * reasoning.
 * @throws {GgufdError} `invalid_request` for a message that would itself close the reasoning
 */
export function createReasoningLimit(
  { reasoningBudget, reasoningControl }: LimitedRequest,
  closing: ReasoningClosing,
): ReasoningLimit | undefined {
  if (reasoningBudget === undefined && reasoningControl === undefined) return undefined;
  const { maxTokens = Number.POSITIVE_INFINITY, message = reasoningControl?.message } =
    reasoningBudget ?? {};
  if (message?.includes(closing.mark)) {
    const reason = `expected a string without ${closing.mark}, which closes this model's reasoning`;
    throw createRefusal("invalid_request", [{ field: "reasoning_budget_message", reason }]);
  }
  return { maxTokens, ...(message !== undefined && { message }), closing };
}

type LimitedRequest = Pick<GenerationRequest, "reasoningBudget" | "reasoningControl">;

/**
 * White space around the closing mark if the template does not show it, as most models write it.
 */
const USUAL_SPACE = { before: "\n", lineBreaksAfter: "\n\n" } as const;
const NO_SPACE = { before: "", lineBreaksAfter: "" } as const;

/**
 * Determines the text that closes reasoning: the closing mark, with the white space that the
 * template writes around it between reasoning and text. If the template renders no reasoning, the
 * white space is that of an empty reasoning block at the beginning of an answer: half of the space
 * inside the block belongs to the opening mark.
 */
export function determineReasoningClosing(
  { betweenReasoningAndText, beginnings }: AnswerForm,
  format: ReasoningFormat,
): ReasoningClosing {
  const { close, place } = REASONING_MARKS[format];
  const parts = splitAround(close, betweenReasoningAndText);
  if (parts !== undefined) {
    const [before, lineBreaksAfter] = parts;
    return {
      before: trailingSpaceOf(before),
      mark: close,
      lineBreaksAfter: takeLineBreaks(lineBreaksAfter),
    };
  }
  for (const beginning of beginnings) {
    const [opened = "", lineBreaksAfter] = splitAround(close, beginning) ?? [];
    if (lineBreaksAfter === undefined) continue;
    const space = trailingSpaceOf(opened);
    const before = space.slice(Math.ceil(space.length / 2));
    return { before, mark: close, lineBreaksAfter: takeLineBreaks(lineBreaksAfter) };
  }
  return { ...(place === "beginning" ? USUAL_SPACE : NO_SPACE), mark: close };
}

function splitAround(
  mark: string,
  text: string,
): readonly [before: string, lineBreaksAfter: string] | undefined {
  const index = text.indexOf(mark);
  return index < 0 ? undefined : [text.slice(0, index), text.slice(index + mark.length)];
}

function trailingSpaceOf(text: string): string {
  return text.slice(text.trimEnd().length);
}

/**
 * Returns leading line breaks, at most as many as grammars allow between reasoning and an answer.
 */
function takeLineBreaks(text: string): string {
  return /^\n{0,2}/.exec(text)?.[0] ?? "";
}
