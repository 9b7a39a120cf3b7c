import { type ErrorObject, Ajv2020 as JsonSchemas } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { isNode, type OpenApiDocument } from "./open-api-document.js";

/** @returns the validation errors of a value; empty when it is valid. */
export type Check = (value: unknown) => string[];

/** Validates values against the schemas of a document, each referenced by its JSON pointer. */
export function schemasOf(document: OpenApiDocument): (pointer: string) => Check {
  const schemas = new JsonSchemas({ strict: false, allErrors: true });
  formats.default(schemas);
  schemas.addSchema(document, "openapi");
  const checks = new Map<string, Check>();
  return (pointer) => {
    const known = checks.get(pointer);
    if (known !== undefined) return known;
    const validate = schemas.compile({ $ref: `openapi#${pointer}` });
    const check: Check = (value) => (validate(value) ? [] : (validate.errors ?? []).map(inWords));
    checks.set(pointer, check);
    return check;
  };
}

/** The JSON pointer of these keys (RFC 6901, URI fragment representation). */
export function pointerTo(...keys: readonly string[]): string {
  const escaped = keys.map((key) => key.replaceAll("~", "~0").replaceAll("/", "~1"));
  return escaped.map((key) => `/${encodeURIComponent(key)}`).join("");
}

/**
 * Document whose objects allow only the described fields. The description allows additional
 * response fields, so that fields can be added; the fields that are sent today must be described.
 */
export function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (!isNode(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, closed(item)]));
  const isObject = [value.type].flat().includes("object") && isNode(value.properties);
  return isObject && value.additionalProperties === undefined
    ? { ...inner, additionalProperties: false }
    : inner;
}

function inWords({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath || "the value"} ${message} ${JSON.stringify(params)}`;
}
