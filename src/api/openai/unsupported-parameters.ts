import { refusalOf } from "../../core/errors.js";
import { preview } from "../../validation/preview.js";

/** The values of an unsupported parameter that have no effect, and are accepted. */
interface NoOpValues {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

const noValue: NoOpValues = { expected: "no such parameter", accepts: () => false };
const emptyList: NoOpValues = {
  expected: "an empty list",
  accepts: (value) => Array.isArray(value) && value.length === 0,
};
const only = (...values: readonly unknown[]): NoOpValues => ({
  expected: values.map((value) => JSON.stringify(value)).join(" or "),
  accepts: (value) => values.includes(value),
});

/** Known but unsupported parameters, and their values without effect. */
const unsupported: ReadonlyMap<string, NoOpValues> = new Map([
  ["tools", { expected: "tools without strict", accepts: (value) => !hasStrictTool(value) }],
  ["tool_choice", only("none", "auto")],
  ["functions", emptyList],
  ["function_call", only("none", "auto")],
  ["response_format", { expected: '{"type":"text"}', accepts: isTextFormat }],
  ["logprobs", only(false)],
  ["top_logprobs", only(0)],
  ["n", only(1)],
  ["best_of", only(1)],
  ["modalities", { expected: '["text"]', accepts: isTextModality }],
  ["audio", noValue],
  ["web_search_options", noValue],
  ["grammar", only("")],
  ["json_schema", noValue],
  ["guided_json", noValue],
  ["guided_regex", noValue],
  ["guided_choice", noValue],
  ["guided_grammar", noValue],
  ["structured_outputs", noValue],
]);

/**
 * Rejects unsupported parameters instead of silently ignoring them.
 * @throws {GgufdError} `unsupported_parameter`
 */
export function rejectUnsupportedParameters(body: Readonly<Record<string, unknown>>): void {
  for (const [name, { expected, accepts }] of unsupported) {
    const value = body[name];
    if (value === undefined || accepts(value)) continue;
    const reason = `expected ${expected}, got ${preview(value)}, which is not supported yet`;
    throw refusalOf("unsupported_parameter", [{ field: name, reason }]);
  }
}

function isTextModality(value: unknown): boolean {
  return Array.isArray(value) && value.length === 1 && value[0] === "text";
}

/** Arguments are not constrained to their schema yet, so `strict` cannot be honoured. */
function hasStrictTool(tools: unknown): boolean {
  return (
    Array.isArray(tools) && tools.some(({ function: definition }) => definition?.strict === true)
  );
}

function isTextFormat(value: unknown): boolean {
  return typeof value === "object" && value !== null && "type" in value && value.type === "text";
}
