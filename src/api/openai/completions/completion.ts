import type {
  ChoiceEvent,
  FinishReason,
  GenerationTimings,
  TokenScore,
  TokenUsage,
} from "../../../core/generation-event.js";
import { CollectedAnswer } from "../../answers/collected-answer.js";
import type { CompletionIdentity } from "../completion.js";
import { toTimings } from "../usage.js";
import { characterCount, toTextLogprobs } from "./logprobs.js";
import type { TextCompletion } from "./response-schema.js";
import { toFinishReason } from "./stream.js";
import type { CompletionPlan } from "./translate.js";
import { usageOfPrompts } from "./usage.js";

/** A completion that has ended. */
interface Ended {
  readonly answer: CollectedAnswer;
  readonly reason: FinishReason;
  readonly usage: TokenUsage;
  readonly timings: GenerationTimings;
}

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
  const ended = await collect(events);
  if (ended === undefined) return undefined;
  const byPrompt = plan.requests.map((_, prompt) =>
    ended.slice(prompt * plan.generated, (prompt + 1) * plan.generated),
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
    choices: returned.map(({ answer, prompt, reason }, index) => {
      const echo = plan.echoes[prompt] ?? "";
      const scores = plan.logprobs === "reported" ? (answer.scores ?? []) : undefined;
      return {
        index,
        text: echo + answer.text,
        logprobs: scores === undefined ? null : toTextLogprobs(scores, characterCount(echo)),
        finish_reason: toFinishReason(reason),
      };
    }),
    usage: usageOfPrompts(
      ended.map(({ usage }) => usage),
      plan.generated,
    ),
    timings: toTimings(ended),
  };
}

async function collect(events: AsyncIterable<ChoiceEvent>): Promise<readonly Ended[] | undefined> {
  const answers = new Map<number, CollectedAnswer>();
  const ended: Ended[] = [];
  for await (const { choice, event } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return undefined;
    const answer = answers.get(choice) ?? new CollectedAnswer();
    answers.set(choice, answer);
    if (event.type === "finished") ended[choice] = { answer, ...event };
    else answer.add(event);
  }
  return ended;
}

/** Those with the highest log-probability per token, the best first; all of them as they are. */
function best(completions: readonly Ended[], count: number): readonly Ended[] {
  if (completions.length === count) return completions;
  return completions
    .toSorted((a, b) => meanLogProbability(b.answer.scores) - meanLogProbability(a.answer.scores))
    .slice(0, count);
}

function meanLogProbability(scores: readonly TokenScore[] = []): number {
  if (scores.length === 0) return Number.NEGATIVE_INFINITY;
  return scores.reduce((sum, { logProbability }) => sum + logProbability, 0) / scores.length;
}
