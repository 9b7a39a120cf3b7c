import { z } from "zod";
import { boundedRecord } from "../../validation/bounded-collections.js";

/** Limits of OpenAI's API. */
const MAX_PAIRS = 16;
const MAX_KEY_LENGTH = 64;

/** Maximum characters of a value in OpenAI's API. */
export const MAX_METADATA_LENGTH = 512;

/**
 * Schema of key-value pairs that are stored with a response, a conversation or a batch.
 * @param maxValueLength in characters
 */
export function metadataField(maxValueLength: number) {
  const error = `expected a string of at most ${maxValueLength} characters`;
  return boundedRecord(
    z.record(z.string().max(MAX_KEY_LENGTH), z.string({ error }).max(maxValueLength, { error }), {
      error: ({ code }) =>
        code === "invalid_key"
          ? `expected keys of at most ${MAX_KEY_LENGTH} characters`
          : "expected an object with string values",
    }),
    { max: MAX_PAIRS, of: "pairs" },
  );
}
