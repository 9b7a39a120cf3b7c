import assert from "node:assert/strict";
import { z } from "zod";
import type { ChoiceEvent, FinishReason, TokenScore } from "../../../core/generation-event.js";
import { collectAnswers, type WholeAnswer } from "../../answers/collected-answer.js";
import { timings, toTimings, toUsage, usage } from "../../fields/usage.js";
import { type CompletionIdentity, headFields, headOf } from "../completion-identity.js";
import { textLogprobs, toWholeLogprobs, type WholeLogprobs } from "./logprobs.js";
import type { CompletionPlan } from "./request.js";

/** Fields of a choice, complete or in a chunk. */
export const choiceFields = {
  index: z.int().nonnegative().meta({
    description: "Index of the completion. Completions of the first prompt come first.",
  }),
  text: z.string(),
  logprobs: textLogprobs.nullable(),
};

export const finishReason = z.enum(["stop", "length"]);

/** Completions of all prompts. A test checks the schema against OpenAI's types. */
export const textCompletion = z
  .object({
    ...headFields,
    object: z.literal("text_completion"),
    choices: z.array(z.object({ ...choiceFields, finish_reason: finishReason })),
    usage,
    timings,
  })
  .meta({ id: "TextCompletion" });

export type TextCompletion = z.infer<typeof textCompletion>;

/** Completion whose log-probabilities are serialised one at a time. */
interface WholeCompletion extends Omit<TextCompletion, "choices"> {
  readonly choices: readonly WholeChoice[];
}

interface WholeChoice extends Omit<TextCompletion["choices"][number], "logprobs"> {
  readonly logprobs: WholeLogprobs | null;
}

/**
 * Collects the completions of all prompts.
 * @param echoes text that the completions of each prompt begin with
 * @returns `undefined` if the client disconnected
 * @throws {GgufdError} the error that ended a generation
 */
export async function toTextCompletion(
  events: AsyncIterable<ChoiceEvent>,
  identity: CompletionIdentity,
  plan: CompletionPlan,
  echoes: readonly string[],
): Promise<WholeCompletion | undefined> {
  const wholeAnswers = await collectAnswers(events);
  if (wholeAnswers === undefined) return undefined;
  assert.equal(
    echoes.length,
    plan.requests.length,
    "every prompt must have an echo, which may be empty",
  );
  assert.equal(
    wholeAnswers.length,
    plan.requests.length * plan.generated,
    "every prompt must have all of its completions",
  );
  const finishEvents = wholeAnswers.map((one) => one.finished);
  const answersByPrompt = plan.requests.map((_, prompt) =>
    wholeAnswers.slice(prompt * plan.generated, (prompt + 1) * plan.generated),
  );
  const selectedAnswers = answersByPrompt.flatMap((completions, prompt) => {
    const echo = echoes[prompt] ?? "";
    // Prompt scores come with the first completion of the prompt.
    const ofPrompt = completions[0]?.answer.promptScores ?? [];
    return selectBest(completions, plan.returned).map((one) => ({ ...one, echo, ofPrompt }));
  });
  return {
    ...headOf(identity, "text_completion"),
    choices: selectedAnswers.map(({ answer, finished, echo, ofPrompt }, index) => {
      const scores = [...(answer.scores ?? []), ...(finished.scores ?? [])];
      return {
        index,
        text: echo + answer.text,
        logprobs: plan.logprobs === "none" ? null : toWholeLogprobs(ofPrompt, scores, echo),
        finish_reason: toFinishReason(finished.reason),
      };
    }),
    usage: toUsage(
      finishEvents.map(({ usage }) => usage),
      plan.generated,
    ),
    timings: toTimings(finishEvents, plan.generated),
  };
}

/**
 * Selects the completions with the highest log-probability per token, best first. Without a
 * selection, the order is kept.
 */
function selectBest(completions: readonly WholeAnswer[], count: number): readonly WholeAnswer[] {
  if (completions.length === count) return completions;
  return completions
    .toSorted(
      (a, b) =>
        computeMeanLogProbability(b.answer.scores) - computeMeanLogProbability(a.answer.scores),
    )
    .slice(0, count);
}

function computeMeanLogProbability(scores: readonly TokenScore[] = []): number {
  if (scores.length === 0) return Number.NEGATIVE_INFINITY;
  return scores.reduce((sum, { logProbability }) => sum + logProbability, 0) / scores.length;
}

/** Converts a finish reason to OpenAI's. These completions have no tools. */
export function toFinishReason(reason: FinishReason): "stop" | "length" {
  return reason === "length" ? "length" : "stop";
}
