import { z } from "zod";
import type { GenerationModel } from "../../core/model-directory.js";

/** Fields shared by all chunks of an answer. */
export interface CompletionIdentity {
  readonly id: string;
  /** Unix time in seconds. */
  readonly created: number;
  /** Alias of the served model. */
  readonly model: string;
  readonly systemFingerprint: string;
}

/**
 * Creates the identity of a new completion.
 * @param id id of the completion
 */
export function createIdentity({ alias, engine }: GenerationModel, id: string): CompletionIdentity {
  return {
    id,
    created: Math.floor(Date.now() / 1000),
    model: alias,
    systemFingerprint: engine.model.fingerprint,
  };
}

/** Builds the fields at the beginning of every answer and chunk. */
export function headOf<Kind extends string>(
  { id, created, model, systemFingerprint }: CompletionIdentity,
  object: Kind,
) {
  return { id, object, created, model, system_fingerprint: systemFingerprint };
}

/** Schema of the fields at the beginning of every answer and chunk. */
export const headFields = {
  id: z.string().meta({ description: "Id of the completion; the same in all chunks of a stream." }),
  created: z.int().nonnegative().meta({ description: "Unix time in seconds." }),
  model: z.string().meta({ description: "Name of the served model." }),
  system_fingerprint: z.string().meta({
    description: "Fingerprint of the model file and the server version.",
  }),
};
