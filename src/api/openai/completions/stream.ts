import assert from "node:assert/strict";
import { z } from "zod";
import type { ChoiceEvent, PromptTokenScore } from "../../../core/generation-event.js";
import type { PrintedItem } from "../../../core/printed-item.js";
import type { FinishedEvent } from "../../answers/collected-answer.js";
import { JsonTemplate } from "../../answers/json-template.js";
import { openAiError } from "../../fields/error-envelope.js";
import type { UsageReporting } from "../../fields/generation-fields.js";
import { timings, toTimings, UsageTotals, usage } from "../../fields/usage.js";
import { type CompletionIdentity, headFields, headOf } from "../completion-identity.js";
import { choiceFields, finishReason, toFinishReason } from "./answer.js";
import { toTextLogprobs, toWholeLogprobs, type WholeLogprobs } from "./logprobs.js";
import type { CompletionPlan } from "./request.js";
import { countCharacters, TextOffsets } from "./text-offsets.js";

/** Chunk of a streamed completion. A test checks the schema against OpenAI's types. */
export const textCompletionChunk = z
  .object({
    ...headFields,
    object: z.literal("text_completion"),
    choices: z
      .array(z.object({ ...choiceFields, finish_reason: finishReason.nullable() }))
      .meta({ description: "One choice; none in the chunk with the usage." }),
    usage: usage.nullable().optional().meta({
      description:
        "Present in the last chunk with `include_usage`, and `null` in the chunks before it.",
    }),
    timings: timings.optional().meta({
      description:
        "Present in the chunk with the finish reason, and for all completions together in the chunk with the usage.",
    }),
  })
  .meta({ id: "TextCompletionChunk" });

export type TextCompletionChunk = z.infer<typeof textCompletionChunk>;

/** Data of a stream event: a chunk, or the error that ends the stream. */
export const textCompletionEvent = z
  .union([textCompletionChunk, openAiError])
  .meta({ id: "TextCompletionEvent" });

const OBJECT = "text_completion";

type Choice = TextCompletionChunk["choices"][number];

/**
 * Chunk whose log-probabilities can be serialised one at a time, since it may have all tokens of a
 * prompt.
 */
interface PrintedChunk extends Omit<TextCompletionChunk, "choices"> {
  readonly choices: readonly PrintedChoice[];
}

interface PrintedChoice extends Omit<Choice, "logprobs"> {
  readonly logprobs: Choice["logprobs"] | WholeLogprobs;
}

/**
 * Yields the chunks of a streamed completion: one for each piece of text, and one with the finish
 * reason. An echo is part of the first piece; an echo with log-probabilities is a separate chunk.
 * @param echoes text that the completions of each prompt begin with
 * @throws {GgufdError} the error that ended a generation
 */
export async function* toTextChunks(
  events: AsyncIterable<ChoiceEvent>,
  identity: CompletionIdentity,
  plan: CompletionPlan,
  echoes: readonly string[],
  reporting: UsageReporting,
): AsyncGenerator<PrintedChunk | PrintedItem, void> {
  const totals = new UsageTotals(plan.generated);
  const endings: FinishedEvent[] = [];
  const templates = new Map<number, JsonTemplate<PrintedChunk>>();
  /** Offset of the next token, by index of the completion. */
  const offsets: TextOffsets[] = [];
  const buildChunk = (choice: PrintedChoice): PrintedChunk => ({
    ...headOf(identity, OBJECT),
    choices: [choice],
    usage: totals.getInterimUsage(reporting),
  });
  const buildPiece = (index: number, text: string, logprobs: Choice["logprobs"]) => {
    const make = (text: string) => buildChunk({ index, text, logprobs, finish_reason: null });
    if (logprobs !== null || reporting === "continuous") return make(text);
    const template = templates.get(index) ?? new JsonTemplate(make);
    templates.set(index, template);
    return template.render(text);
  };
  const orderedEvents =
    plan.logprobs === "prompts-and-completions"
      ? orderPromptScoresFirst(events, plan.generated)
      : events;
  for await (const { choice: index, event } of orderedEvents) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return;
    const isFirst = offsets[index] === undefined;
    totals.set(index, event.usage);
    const echo = isFirst ? (echoes[Math.floor(index / plan.generated)] ?? "") : "";
    const ownOffsets = offsets[index] ?? new TextOffsets(countCharacters(echo));
    offsets[index] = ownOffsets;
    switch (event.type) {
      case "prompt-scores": {
        const logprobs = toWholeLogprobs(event.scores, [], echo);
        yield buildChunk({ index, text: echo, logprobs, finish_reason: null });
        break;
      }
      case "text-delta": {
        const { scores, text } = event;
        const logprobs = scores === undefined ? null : toTextLogprobs(scores, ownOffsets);
        yield buildPiece(index, echo + text, logprobs);
        break;
      }
      case "finished": {
        const { scores = [] } = event;
        const finish_reason = toFinishReason(event.reason);
        const logprobs = scores.length === 0 ? null : toTextLogprobs(scores, ownOffsets);
        const chunk = buildChunk({ index, text: echo, logprobs, finish_reason });
        endings[index] = event;
        yield { ...chunk, timings: toTimings([event]) };
      }
    }
  }
  if (reporting === "none") return;
  yield {
    ...headOf(identity, OBJECT),
    choices: [],
    usage: totals.usage,
    timings: toTimings(endings, plan.generated),
  };
}

type PromptScores = Extract<ChoiceEvent["event"], { type: "prompt-scores" }>;

/** Prompt whose scores are still incomplete. */
interface AwaitedPrompt {
  readonly scores: PromptTokenScore[];
  /** Events of the prompt's other completions, which the engine does not hold back. */
  readonly delayedEvents: ChoiceEvent[];
}

/**
 * Reorders events so that the complete scores of a prompt precede all other events of its
 * completions. The scores arrive in pieces, with the first completion.
 * @param perPrompt completions per prompt
 */
export async function* orderPromptScoresFirst(
  events: AsyncIterable<ChoiceEvent>,
  perPrompt: number,
): AsyncGenerator<ChoiceEvent, void> {
  const promptStates = new Map<number, AwaitedPrompt | "complete">();
  for await (const one of events) {
    const { choice, event } = one;
    const prompt = Math.floor(choice / perPrompt);
    const state = promptStates.get(prompt) ?? { scores: [], delayedEvents: [] };
    promptStates.set(prompt, state);
    if (state === "complete" || event.type === "failed" || event.type === "cancelled") {
      yield one;
    } else if (event.type !== "prompt-scores") {
      state.delayedEvents.push(one);
    } else {
      state.scores.push(...event.scores);
      const { promptTokens } = event.usage;
      assert(state.scores.length <= promptTokens, "more scores than tokens in the prompt");
      if (state.scores.length < promptTokens) continue;
      promptStates.set(prompt, "complete");
      const scoresEvent: PromptScores = { ...event, scores: state.scores };
      for (let index = 0; index < perPrompt; index++) {
        yield { choice: prompt * perPrompt + index, event: scoresEvent };
      }
      yield* state.delayedEvents;
    }
  }
}
