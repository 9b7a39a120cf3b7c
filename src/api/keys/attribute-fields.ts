import { z } from "zod";
import { type Attribute, type AttributeTexts, attributes } from "../../config/keys/key-line.js";
import type { Permissions } from "../../core/api-keys.js";

/** Value of an attribute in JSON. */
export type AttributeValue = string | number | readonly string[];

interface AttributeField {
  /** `requests_per_minute` */
  readonly field: string;
  /** `requests-per-minute`, the name in the key file. */
  readonly name: string;
  readonly attribute: Attribute;
}

/** All attributes except the name, which identifies the key. */
const attributeFields: readonly AttributeField[] = Object.entries(attributes).flatMap(
  ([name, attribute]) =>
    name === "name" ? [] : [{ field: name.replaceAll("-", "_"), name, attribute }],
);

type FieldShape = Readonly<Record<string, z.ZodType<AttributeValue>>>;

/** Schemas of the fields of a request, which accept the values that the key file accepts. */
export const requestFields: FieldShape = Object.fromEntries(
  attributeFields.map(({ field, attribute }) => [field, buildRequestSchema(attribute)]),
);

/** Schemas of the fields of an answer; `null`: the attribute is not set. */
export const answerFields = Object.fromEntries(
  attributeFields.map(({ field, attribute }) => [
    field,
    buildTypeSchema(attribute)
      .nullable()
      .meta({ description: describe(attribute) }),
  ]),
);

function buildRequestSchema(attribute: Attribute): z.ZodType<AttributeValue> {
  const { json = buildTypeSchema(attribute), expected, read } = attribute;
  return (json as z.ZodType<AttributeValue>)
    .refine((value) => read(toText(attribute, value)) !== undefined, {
      error: `expected ${expected}`,
    })
    .meta({ description: describe(attribute) });
}

function buildTypeSchema({ placeholder, expected }: Attribute): z.ZodType<AttributeValue> {
  const error = `expected ${expected}`;
  switch (placeholder) {
    case "N":
      return z.number({ error });
    case "LIST":
      return z.array(z.string({ error }), { error });
    default:
      return z.string({ error });
  }
}

/** `maximum requests per minute (default: no limit)` → `Maximum requests per minute …` */
function describe({ help }: Attribute): string {
  return `${help.charAt(0).toUpperCase()}${help.slice(1)}.`;
}

function toText({ emptyList = "" }: Attribute, value: AttributeValue): string {
  if (typeof value !== "object") return String(value);
  return value.length === 0 ? emptyList : value.join(",");
}

function toValue({ placeholder, emptyList }: Attribute, text: string): AttributeValue {
  switch (placeholder) {
    case "N":
      return Number(text);
    case "LIST":
      return text === emptyList ? [] : text.split(",");
    default:
      return text;
  }
}

/** Fields of a request: attributes and others. `null` resets an attribute to its default. */
type RequestBody = Readonly<Record<string, unknown>>;

/** Returns the attributes of a new key, as in the key file. */
export function toAttributes(body: RequestBody): AttributeTexts {
  const changes = Object.entries(toAttributeChanges(body));
  return Object.fromEntries(
    changes.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  );
}

/** Returns the changed attributes, as in the key file; undefined values restore the default. */
export function toAttributeChanges(
  body: RequestBody,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    attributeFields.flatMap(({ field, name, attribute }) => {
      const value = body[field] as AttributeValue | null | undefined;
      if (value === undefined) return [];
      return [[name, value === null ? undefined : toText(attribute, value)]];
    }),
  );
}

/** Prints the written attributes as JSON fields. */
export function printAttributes(
  written: AttributeTexts,
): Readonly<Record<string, AttributeValue | undefined>> {
  return Object.fromEntries(
    attributeFields.flatMap(({ field, name, attribute }) => {
      const text = written[name];
      return text === undefined ? [] : [[field, toValue(attribute, text)]];
    }),
  );
}

/** Prints all attributes of a key as JSON fields, with the defaults; `null`: not set. */
export function printAllAttributes(
  key: Permissions,
): Readonly<Record<string, AttributeValue | null>> {
  const written = printAttributes(key.written ?? {});
  const defaults: Readonly<Record<string, unknown>> = { ...key };
  return Object.fromEntries(
    attributeFields.map(({ field, name }) => [
      field,
      written[field] ?? (defaults[name] as AttributeValue | undefined) ?? null,
    ]),
  );
}
