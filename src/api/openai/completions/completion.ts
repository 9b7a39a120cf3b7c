import type { ChoiceEvent, TokenScore } from "../../../core/generation-event.js";
import { collectAnswers, type WholeAnswer } from "../../answers/collect-answer.js";
import type { CompletionIdentity } from "../completion.js";
import { toTimings } from "../usage.js";
import { characterCount, toTextLogprobs } from "./logprobs.js";
import type { TextCompletion } from "./response-schema.js";
import { toFinishReason } from "./stream.js";
import type { CompletionPlan } from "./translate.js";
import { usageOfPrompts } from "./usage.js";

/**
 * Collects the completions of all prompts.
 * @returns `undefined` when the client disconnected
 * @throws {GgufdError} the error that ended a generation
 */
export async function toTextCompletion(
  events: AsyncIterable<ChoiceEvent>,
  identity: CompletionIdentity,
  plan: CompletionPlan,
): Promise<TextCompletion | undefined> {
  const whole = await collectAnswers(events);
  if (whole === undefined) return undefined;
  const byPrompt = plan.requests.map((_, prompt) =>
    whole.slice(prompt * plan.generated, (prompt + 1) * plan.generated),
  );
  const returned = byPrompt.flatMap((completions, prompt) =>
    best(completions, plan.returned).map((one) => ({ ...one, prompt })),
  );
  return {
    id: identity.id,
    object: "text_completion",
    created: identity.created,
    model: identity.model,
    system_fingerprint: identity.systemFingerprint,
    choices: returned.map(({ answer, finished, prompt }, index) => {
      const echo = plan.echoes[prompt] ?? "";
      const scores = plan.logprobs === "reported" ? (answer.scores ?? []) : undefined;
      return {
        index,
        text: echo + answer.text,
        logprobs: scores === undefined ? null : toTextLogprobs(scores, characterCount(echo)),
        finish_reason: toFinishReason(finished.reason),
      };
    }),
    usage: usageOfPrompts(
      whole.map(({ finished }) => finished.usage),
      plan.generated,
    ),
    timings: toTimings(whole.map(({ finished }) => finished)),
  };
}

/** Those with the highest log-probability per token, the best first; all of them as they are. */
function best(completions: readonly WholeAnswer[], count: number): readonly WholeAnswer[] {
  if (completions.length === count) return completions;
  return completions
    .toSorted((a, b) => meanLogProbability(b.answer.scores) - meanLogProbability(a.answer.scores))
    .slice(0, count);
}

function meanLogProbability(scores: readonly TokenScore[] = []): number {
  if (scores.length === 0) return Number.NEGATIVE_INFINITY;
  return scores.reduce((sum, { logProbability }) => sum + logProbability, 0) / scores.length;
}
