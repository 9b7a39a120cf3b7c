import type { ChoiceEvent } from "../../core/generation-event.js";
import type { ServedModel } from "../../core/model-directory.js";
import { collectAnswers } from "../answers/collect-answer.js";
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
  const whole = await collectAnswers(events);
  if (whole === undefined) return undefined;
  const finished = whole.map((one) => one.finished);
  return {
    id: identity.id,
    object: "chat.completion",
    created: identity.created,
    model: identity.model,
    system_fingerprint: identity.systemFingerprint,
    choices: whole.map(({ answer, finished: { reason } }, index) =>
      toChoice(answer, index, reason, callField),
    ),
    usage: toUsage(finished.map(({ usage }) => usage)),
    timings: toTimings(finished),
  };
}
