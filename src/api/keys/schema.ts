import { z } from "zod";
import { attributes, KEY_NAME } from "../../config/keys/key-line.js";
import { integerBetween, trueOrFalse } from "../../validation/fields.js";
import { integerParameter, nonEmptyParameter } from "../../validation/parameters.js";
import { requestFields } from "./attribute-fields.js";

const MAX_LIMIT = 100;
export const DEFAULT_LIMIT = 20;

/** Query of `GET /v1/keys` and `GET /v1/audit`. */
export const listQuery = z.looseObject({
  limit: integerParameter(1, MAX_LIMIT)
    .optional()
    .meta({ description: `Maximum number of entries. Default: ${DEFAULT_LIMIT}.` }),
  after: nonEmptyParameter()
    .optional()
    .meta({ description: "Id of the last entry of the previous page." }),
});

/** The year 10000, in seconds since 1970: later times have no RFC 3339 form. */
const MAX_SECONDS = 253_402_300_799;
/** Longest grace period: a year. */
const MAX_GRACE_SECONDS = 31_536_000;

const expiry = () => integerBetween(0, MAX_SECONDS);
const body = { error: "expected a JSON object" };
const nameError = `expected ${attributes.name?.expected}`;

/**
 * Body of `POST /v1/keys`. Unknown fields are refused: a misspelt limit must not create a key
 * without one.
 */
export const newKey = z
  .strictObject(
    {
      name: z.string({ error: nameError }).regex(KEY_NAME, { error: nameError }).meta({
        description:
          "Name of the key in logs, metrics and messages. It owns the data that is stored with the key, and cannot be changed.",
      }),
      expires_at: expiry()
        .optional()
        .meta({ description: "Time after which the key is refused, in seconds since 1970." }),
      ...mapFields((schema) => schema.optional()),
    },
    body,
  )
  .meta({ id: "NewKey" });

/** Body of `PATCH /v1/keys/{id}`. */
export const keyChange = z
  .strictObject(
    {
      disabled: trueOrFalse().optional().meta({ description: "Whether the key is refused." }),
      expires_at: expiry()
        .nullable()
        .optional()
        .meta({ description: "`null`: the key does not expire." }),
      ...mapFields((schema) => schema.nullable().optional()),
    },
    body,
  )
  .meta({ id: "KeyChange", description: "Absent fields stay; `null` restores the default." });

/** Body of `POST /v1/keys/{id}/rotate`. */
export const keyRotation = z
  .strictObject(
    {
      grace_seconds: integerBetween(0, MAX_GRACE_SECONDS).optional().meta({
        description: "Time for which the previous value is still accepted. Default: 0.",
      }),
    },
    body,
  )
  .meta({ id: "KeyRotation" });

type RequestSchema = (typeof requestFields)[string];

function mapFields<Schema extends z.ZodType>(map: (schema: RequestSchema) => Schema) {
  return Object.fromEntries(
    Object.entries(requestFields).map(([field, schema]) => [field, map(schema)]),
  );
}
