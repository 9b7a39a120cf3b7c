import type { z } from "zod";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Describes an object's optional fields as nullable: clients may send null for an absent field. The
 * Zod schema does not allow null, because `drop-nulls.ts` removes nulls before the body is parsed.
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
