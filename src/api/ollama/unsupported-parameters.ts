import { refusalOf } from "../../core/errors.js";
import { isJsonObject } from "../../core/json-object.js";
import { preview } from "../../validation/preview.js";

/** The values of an unsupported parameter that have no effect, and are accepted. */
interface NoOpValues {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

const only = (neutral: unknown): NoOpValues => ({
  expected: JSON.stringify(neutral),
  accepts: (value) => value === neutral,
});
const atLeast = (min: number): NoOpValues => ({
  expected: `a number of at least ${min}`,
  accepts: (value) => typeof value === "number" && value >= min,
});
const empty: NoOpValues = {
  expected: "nothing",
  accepts: (value) => value === "" || (Array.isArray(value) && value.length === 0),
};

type Unsupported = Readonly<Record<string, NoOpValues>>;

/** Known but unsupported fields of a request. */
const unsupportedFields: Unsupported = {
  template: empty,
  context: empty,
  debug_render_only: only(false),
  // Generation of images.
  width: only(0),
  height: only(0),
  steps: only(0),
};

/** Samplers that the engine does not have. */
const unsupportedOptions: Unsupported = {
  typical_p: atLeast(1),
  tfs_z: atLeast(1),
  mirostat: only(0),
};

/**
 * Rejects unsupported parameters instead of silently ignoring them.
 * @throws {GgufdError} `unsupported_parameter`
 */
export function rejectUnsupportedParameters(body: Readonly<Record<string, unknown>>): void {
  reject(body, unsupportedFields, "");
  if (isJsonObject(body.options)) reject(body.options, unsupportedOptions, "options.");
}

function reject(
  object: Readonly<Record<string, unknown>>,
  unsupported: Unsupported,
  path: string,
): void {
  for (const [name, { expected, accepts }] of Object.entries(unsupported)) {
    const value = object[name];
    if (value === undefined || value === null || accepts(value)) continue;
    const reason = `expected ${expected}, got ${preview(value)}, which is not supported`;
    throw refusalOf("unsupported_parameter", [{ field: `${path}${name}`, reason }]);
  }
}
