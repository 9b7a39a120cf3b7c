import type { z } from "zod";

/**
 * Makes a schema that changes nothing return its input itself, where Zod would return a copy: the
 * source text of an object is attached to the object's identity. Apply last: Zod's methods copy a
 * schema without this.
 */
export function keepIdentity<Schema extends z.ZodType>(schema: Schema): Schema {
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
