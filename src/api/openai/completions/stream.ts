import type { ChoiceEvent, FinishReason } from "../../../core/generation-event.js";
import { type CompletionIdentity, headOf } from "../completion-identity.js";
import type { UsageReporting } from "../stream-options-schema.js";
import { toTimings } from "../usage.js";
import { UsageTotals } from "../usage-totals.js";
import { toTextLogprobs, toWholeLogprobs, type WholeLogprobs } from "./logprobs.js";
import { promptsFirst } from "./prompts-first.js";
import type { TextCompletionChunk } from "./response-schema.js";
import { characterCount, TextOffsets } from "./text-offsets.js";
import type { CompletionPlan } from "./translate.js";

const OBJECT = "text_completion";

type Choice = TextCompletionChunk["choices"][number];

/** A chunk whose log-probabilities, of a whole prompt's tokens, may be printed one by one. */
interface PrintedChunk extends Omit<TextCompletionChunk, "choices"> {
  readonly choices: readonly PrintedChoice[];
}

interface PrintedChoice extends Omit<Choice, "logprobs"> {
  readonly logprobs: Choice["logprobs"] | WholeLogprobs;
}

/** Old completions have no tools. */
export function toFinishReason(reason: FinishReason): "stop" | "length" {
  return reason === "length" ? "length" : "stop";
}

/**
 * The chunks of a streamed completion: one for each piece of text, and one with the finish reason. An
 * echo is part of the first piece; one with log-probabilities is a chunk of its own.
 * @param echoes what the completions of each prompt begin with
 * @throws {GgufdError} the error that ended a generation
 */
export async function* toTextChunks(
  events: AsyncIterable<ChoiceEvent>,
  identity: CompletionIdentity,
  plan: CompletionPlan,
  echoes: readonly string[],
  reporting: UsageReporting,
): AsyncGenerator<PrintedChunk, void> {
  const totals = new UsageTotals(plan.generated);
  /** Of the next token, by completion. */
  const offsets: TextOffsets[] = [];
  const chunkOf = (choice: PrintedChoice): PrintedChunk => ({
    ...headOf(identity, OBJECT),
    choices: [choice],
    usage: totals.interim(reporting),
  });
  const ordered =
    plan.logprobs === "prompts-and-completions" ? promptsFirst(events, plan.generated) : events;
  for await (const { choice: index, event } of ordered) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return;
    const isFirst = offsets[index] === undefined;
    totals.set(index, event.usage);
    const echo = isFirst ? (echoes[Math.floor(index / plan.generated)] ?? "") : "";
    const ownOffsets = offsets[index] ?? new TextOffsets(characterCount(echo));
    offsets[index] = ownOffsets;
    switch (event.type) {
      case "prompt-scores": {
        const logprobs = toWholeLogprobs(event.scores, [], echo);
        yield chunkOf({ index, text: echo, logprobs, finish_reason: null });
        break;
      }
      case "text-delta": {
        const { scores, text } = event;
        const logprobs = scores === undefined ? null : toTextLogprobs(scores, ownOffsets);
        yield chunkOf({ index, text: echo + text, logprobs, finish_reason: null });
        break;
      }
      case "finished": {
        const { scores = [] } = event;
        const finish_reason = toFinishReason(event.reason);
        const logprobs = scores.length === 0 ? null : toTextLogprobs(scores, ownOffsets);
        const chunk = chunkOf({ index, text: echo, logprobs, finish_reason });
        yield { ...chunk, timings: toTimings([event]) };
      }
    }
  }
  if (reporting === "none") return;
  yield { ...headOf(identity, OBJECT), choices: [], usage: totals.usage };
}
