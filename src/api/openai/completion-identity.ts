import { z } from "zod";
import type { GenerationModel } from "../../core/model-directory.js";

/** What an answer, or all chunks of a streamed one, have in common. */
export interface CompletionIdentity {
  readonly id: string;
  /** Unix time in seconds. */
  readonly created: number;
  /** The alias of the served model. */
  readonly model: string;
  readonly systemFingerprint: string;
}

/**
 * The identity of a new completion.
 * @param id of the completion
 */
export function identityOf({ alias, engine }: GenerationModel, id: string): CompletionIdentity {
  return {
    id,
    created: Math.floor(Date.now() / 1000),
    model: alias,
    systemFingerprint: engine.model.fingerprint,
  };
}

/** The fields that every answer and every chunk begins with. */
export function headOf<Kind extends string>(
  { id, created, model, systemFingerprint }: CompletionIdentity,
  object: Kind,
) {
  return { id, object, created, model, system_fingerprint: systemFingerprint };
}

/** The schema of these fields. */
export const headFields = {
  id: z.string().meta({ description: "The same in all chunks of a stream." }),
  created: z.int().nonnegative().meta({ description: "Unix time in seconds." }),
  model: z.string().meta({ description: "The name of the served model." }),
  system_fingerprint: z.string().meta({
    description: "Changes with the model file and the version of the server.",
  }),
};
