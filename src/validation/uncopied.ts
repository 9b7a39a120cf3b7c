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
    const result = run(payload, context);
    if (!(result instanceof Promise) && result.issues.length === 0) result.value = value;
    return result;
  };
  return schema;
}
