import type { z } from "zod";

/**
 * Makes a schema return its input itself instead of Zod's copy, because the source text of an
 * object is attached to the object's identity. The schema must not transform its input. Apply last:
 * schemas that Zod's methods derive from it return copies again.
 */
export function keepIdentity<Schema extends z.ZodType>(schema: Schema): Schema {
  const run = schema._zod.run;
  schema._zod.run = (payload, context) => {
    const { value } = payload;
    const restoreInput = (result: z.core.ParsePayload) => {
      if (result.issues.length === 0) result.value = value;
      return result;
    };
    const result = run(payload, context);
    return result instanceof Promise ? result.then(restoreInput) : restoreInput(result);
  };
  return schema;
}
