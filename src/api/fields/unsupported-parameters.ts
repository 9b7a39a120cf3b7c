import { createRefusal } from "../../core/errors.js";
import { preview } from "../../validation/preview.js";

type RequestBody = Readonly<Record<string, unknown>>;

/** Values of an unsupported parameter that have no effect, and are therefore accepted. */
export interface NoOpValues {
  readonly expected: string;
  readonly accepts: (value: unknown, body: RequestBody) => boolean;
}

const noValue: NoOpValues = { expected: "no such parameter", accepts: () => false };
const emptyList: NoOpValues = {
  expected: "an empty list",
  accepts: (value) => Array.isArray(value) && value.length === 0,
};
/** Accepts exactly the given values. */
export const only = (...values: readonly unknown[]): NoOpValues => ({
  expected: values.map((value) => JSON.stringify(value)).join(" or "),
  accepts: (value) => values.includes(value),
});

const atMost = (max: number): NoOpValues => ({
  expected: `a number of at most ${max}`,
  accepts: (value) => typeof value === "number" && value <= max,
});

/** Known but unsupported parameters, and their values without effect. */
const unsupportedParameters: ReadonlyMap<string, NoOpValues> = new Map([
  [
    "best_of",
    { expected: "1, or the value of n", accepts: (value, { n }) => value === 1 || value === n },
  ],
  ["modalities", { expected: '["text"]', accepts: isTextModality }],
  ["audio", noValue],
  ["web_search_options", noValue],
  ["n_probs", only(0)],
  ["post_sampling_probs", only(false)],
  ["t_max_predict_ms", atMost(0)],
  ["skip_special_tokens", only(true)],
  ["include_stop_str_in_output", only(false)],
  ["bad_words", emptyList],
  ["allowed_token_ids", noValue],
  ["use_beam_search", only(false)],
  ["truncate_prompt_tokens", noValue],
  ["prompt_logprobs", noValue],
  ["echo", only(false)],
]);

const NO_PARAMETERS: ReadonlyMap<string, NoOpValues> = new Map();

/**
 * Rejects unsupported parameters instead of silently ignoring them.
 * @param supported names of parameters that this endpoint does support
 * @param endpointParameters parameters that only this endpoint does not support
 * @throws {GgufdError} `unsupported_parameter`
 */
export function rejectUnsupportedParameters(
  body: RequestBody,
  supported: readonly string[] = [],
  endpointParameters = NO_PARAMETERS,
): void {
  for (const [name, { expected, accepts }] of [...unsupportedParameters, ...endpointParameters]) {
    const value = body[name];
    if (value === undefined || supported.includes(name) || accepts(value, body)) continue;
    const reason = `expected ${expected}, got ${preview(value)}, which is not supported yet`;
    throw createRefusal("unsupported_parameter", [{ field: name, reason }]);
  }
}

function isTextModality(value: unknown): boolean {
  return Array.isArray(value) && value.length === 1 && value[0] === "text";
}
