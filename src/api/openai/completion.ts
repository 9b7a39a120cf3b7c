import type { ChoiceEvent, GenerationTimings, TokenUsage } from "../../core/generation-event.js";
import type { ServedModel } from "../../core/model-directory.js";
import { CollectedAnswer } from "../answers/collected-answer.js";
import type { CallField } from "./functions-as-tools.js";
import type { Completion } from "./response-schema.js";
import { toChoice } from "./to-choice.js";
import { toTimings, toUsage } from "./usage.js";

/** The fields that are the same in every chunk of one completion. */
export interface CompletionIdentity {
  readonly id: string;
  /** Unix time in seconds. */
  readonly created: number;
  /** The alias of the served model. */
  readonly model: string;
  readonly systemFingerprint: string;
}

/**
 * What all chunks of a new completion have in common.
 * @param id of the completion
 */
export function identityOf({ alias, engine }: ServedModel, id: string): CompletionIdentity {
  return {
    id,
    created: Math.floor(Date.now() / 1000),
    model: alias,
    systemFingerprint: engine.model.fingerprint,
  };
}

interface FinishedChoice {
  readonly choice: Completion["choices"][number];
  readonly usage: TokenUsage;
  readonly timings: GenerationTimings;
}

/**
 * Collects the generations of a request into one completion.
 * @returns `undefined` when the client disconnected.
 * @throws {GgufdError} the error that ended a generation.
 */
export async function toCompletion(
  events: AsyncIterable<ChoiceEvent>,
  identity: CompletionIdentity,
  callField: CallField,
): Promise<Completion | undefined> {
  const collected = new Map<number, CollectedAnswer>();
  const finished: FinishedChoice[] = [];
  for await (const { choice: index, event } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return undefined;
    const answer = collected.get(index) ?? new CollectedAnswer();
    collected.set(index, answer);
    if (event.type !== "finished") {
      answer.add(event);
      continue;
    }
    const { reason, usage, timings } = event;
    finished[index] = { choice: toChoice(answer, index, reason, callField), usage, timings };
  }
  return {
    id: identity.id,
    object: "chat.completion",
    created: identity.created,
    model: identity.model,
    system_fingerprint: identity.systemFingerprint,
    choices: finished.map(({ choice }) => choice),
    usage: toUsage(finished.map(({ usage }) => usage)),
    timings: toTimings(finished),
  };
}
