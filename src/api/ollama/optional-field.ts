import type { z } from "zod";

/** A field that may be absent, or null: Ollama's own server decodes null as absent. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}
