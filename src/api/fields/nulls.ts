import type { z } from "zod";
import { isJsonObject } from "../../core/json.js";

/**
 * Removes null fields, which OpenAI's clients send for absent ones, from the body, its messages and
 * its stream options. Values that are the client's own data keep their nulls.
 */
export function dropNulls(body: unknown): unknown {
  if (!isJsonObject(body)) return body;
  const { messages, stream_options: streamOptions } = body;
  if (Array.isArray(messages)) body.messages = messages.map(withContent).map(withoutNulls);
  if (isJsonObject(streamOptions)) body.stream_options = withoutNulls(streamOptions);
  return withoutNulls(body);
}

/**
 * Replaces the null content of a function message by an empty string: the field is required, and
 * null if the function returned nothing.
 */
function withContent(message: unknown): unknown {
  const isEmpty = isJsonObject(message) && message.role === "function" && message.content === null;
  return isEmpty ? { ...message, content: "" } : message;
}

/** Returns the value itself if it has no nulls: copying an object with many fields is slow. */
function withoutNulls(value: unknown): unknown {
  if (!isJsonObject(value) || !Object.values(value).includes(null)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Describes an object's optional fields as nullable: clients may send null for an absent field. The
 * Zod schema does not allow null, because {@link dropNulls} removes nulls before the body is
 * parsed.
 */
export function allowNullWhereOptional({ jsonSchema }: { readonly jsonSchema: JsonSchema }): void {
  const { properties = {}, required = [] } = jsonSchema;
  for (const [name, property] of Object.entries(properties)) {
    if (required.includes(name) || typeof property === "boolean") continue;
    properties[name] = toNullable(property);
  }
}

function toNullable({ description, examples, ...schema }: JsonSchema): JsonSchema {
  const annotations = {
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
  };
  if (typeof schema.type === "string" && schema.enum === undefined && schema.const === undefined) {
    return { ...annotations, ...schema, type: [schema.type, "null"] } as JsonSchema;
  }
  return { ...annotations, anyOf: [schema, { type: "null" }] };
}
