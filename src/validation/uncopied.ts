import type { z } from "zod";

/**
 * Has a schema that changes nothing return the very value that it was given, where Zod would return a
 * copy: the text that an object was written in is known of the object itself. To be applied last, as
 * Zod's methods copy a schema without this.
 */
export function uncopied<Schema extends z.ZodType>(schema: Schema): Schema {
  const run = schema._zod.run;
  schema._zod.run = (payload, context) => {
    const { value } = payload;
    const given = (result: z.core.ParsePayload) => {
      if (result.issues.length === 0) result.value = value;
      return result;
    };
    const result = run(payload, context);
    return result instanceof Promise ? result.then(given) : given(result);
  };
  return schema;
}
