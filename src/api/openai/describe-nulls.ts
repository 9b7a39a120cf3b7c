import type { z } from "zod";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Describes an object's optional fields as they may be sent: null means absent (`drop-nulls.ts`), so
 * that the schema, which reads the body afterwards, does not know of it.
 */
export function nullableWhereOptional({ jsonSchema }: { readonly jsonSchema: JsonSchema }): void {
  const { properties = {}, required = [] } = jsonSchema;
  for (const [name, property] of Object.entries(properties)) {
    if (required.includes(name) || typeof property === "boolean") continue;
    properties[name] = nullable(property);
  }
}

function nullable({ description, examples, ...schema }: JsonSchema): JsonSchema {
  const described = {
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
  };
  if (typeof schema.type === "string" && schema.enum === undefined && schema.const === undefined) {
    return { ...described, ...schema, type: [schema.type, "null"] } as JsonSchema;
  }
  return { ...described, anyOf: [schema, { type: "null" }] };
}
