import type {
  ChoiceEvent,
  ScoredToken,
  TokenScore,
  TokenUsage,
} from "../../../core/generation-event.js";
import { LazyList } from "../../../core/lazy-list.js";
import { collectAnswers } from "../../answers/collect-answer.js";
import type { FinishedEvent } from "../../answers/collected-answer.js";
import { toScoredText } from "../logprobs.js";
import { toInterimTimings, toPromptProgress } from "../progress.js";
import { toEnding } from "./ending.js";
import type {
  NativeCompletion,
  NativePiece,
  NativeProbability,
  NativeSettings,
} from "./response-schema.js";

/** What an answer repeats of its request, and of the model. */
export interface AnswerOrigin {
  /** The alias of the served model. */
  readonly model: string;
  readonly settings: NativeSettings;
  /** Of which distribution the tokens' probabilities are. */
  readonly probabilities: "of-the-model" | "after-sampling";
  /** The text of the prompt that an answer continues, as it was evaluated. */
  readonly promptOf: (answer: number) => Promise<string>;
}

/**
 * Collects the answers to all prompts.
 * @param tokens whether they have the ids of their tokens
 * @returns `undefined` when the client disconnected
 * @throws {GgufdError} the error that ended a generation
 */
export async function toNativeCompletions(
  events: AsyncIterable<ChoiceEvent>,
  origin: AnswerOrigin,
  tokens: "reported" | "left-out",
): Promise<readonly WholeCompletion[] | undefined> {
  const printProbability = probabilityPrinter(origin);
  const whole = await collectAnswers(events);
  if (whole === undefined) return undefined;
  return Promise.all(
    whole.map(async ({ answer, finished }, index) => ({
      ...contentOf(index, answer.text, tokens === "reported" ? answer.tokens : []),
      ...(answer.scores && {
        completion_probabilities: LazyList.from(answer.scores, printProbability),
      }),
      ...(await endOf(index, finished, answer.text, origin)),
    })),
  );
}

/** An answer whose log-probabilities are printed one by one. */
interface WholeCompletion extends Omit<NativeCompletion, "completion_probabilities"> {
  readonly completion_probabilities?: LazyList<NativeProbability>;
}

/**
 * The events of a stream: pieces of the answers as they come, and for each of them an end without content.
 * @throws {GgufdError} the error that ended a generation
 */
export async function* toNativePieces(
  events: AsyncIterable<ChoiceEvent>,
  origin: AnswerOrigin,
): AsyncGenerator<NativePiece | NativeCompletion, void> {
  const printProbability = probabilityPrinter(origin);
  const texts = new Map<number, string>();
  for await (const { choice: index, event, tokens = [] } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return;
    const before = texts.get(index) ?? "";
    if (event.type === "finished") {
      yield { ...contentOf(index, "", tokens), ...(await endOf(index, event, before, origin)) };
    } else if (event.type === "text-delta") {
      texts.set(index, before + event.text);
      yield {
        ...contentOf(index, event.text, tokens),
        ...(event.scores && { completion_probabilities: event.scores.map(printProbability) }),
        ...countsOf(event),
        ...toInterimTimings(event),
      };
    } else if (event.type === "prompt-progress") {
      yield {
        ...contentOf(index, "", tokens),
        ...countsOf(event),
        prompt_progress: toPromptProgress(event),
      };
    }
  }
}

/** Prints a token of an answer, with those that were most probable in its place. */
function probabilityPrinter({
  probabilities,
}: AnswerOrigin): (score: TokenScore) => NativeProbability {
  return probabilities === "after-sampling"
    ? (score) => ({
        ...toTokenAfterSampling(score),
        top_probs: score.top.map(toTokenAfterSampling),
      })
    : (score) => ({ ...toScored(score), top_logprobs: score.top.map(toScored) });
}

function toScored(scored: ScoredToken) {
  return { id: scored.id, ...toScoredText(scored) };
}

function toTokenAfterSampling({ id, ...text }: ScoredToken) {
  const { token, bytes } = toScoredText({ id, ...text });
  return { id, token, bytes, prob: Math.exp(text.logProbability) };
}

function countsOf({ usage }: { readonly usage: TokenUsage }) {
  return {
    stop: false,
    tokens_predicted: usage.completionTokens,
    tokens_evaluated: usage.promptTokens,
  } as const;
}

function contentOf(index: number, content: string, tokens: readonly number[]) {
  return { index, content, tokens: [...tokens] };
}

async function endOf(
  index: number,
  finished: FinishedEvent,
  text: string,
  { model, settings, promptOf }: AnswerOrigin,
) {
  return {
    ...toEnding(finished, text),
    model,
    prompt: await promptOf(index),
    generation_settings: settings,
  };
}
