import { refusalOf } from "../../core/errors.js";
import { preview } from "../../validation/describe-issues.js";

/** The values of a parameter that ask for nothing beyond what every answer has. */
interface Harmless {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

const nothing: Harmless = { expected: "no such parameter", accepts: () => false };
const emptyList: Harmless = {
  expected: "an empty list",
  accepts: (value) => Array.isArray(value) && value.length === 0,
};
const only = (...values: readonly unknown[]): Harmless => ({
  expected: values.map((value) => JSON.stringify(value)).join(" or "),
  accepts: (value) => values.includes(value),
});

/** Known parameters that this server does not support, and the values that change nothing. */
const unsupported: ReadonlyMap<string, Harmless> = new Map([
  ["tools", { expected: "tools without strict", accepts: (value) => !asksForStrictTools(value) }],
  ["tool_choice", only("none", "auto")],
  ["functions", emptyList],
  ["function_call", only("none", "auto")],
  ["response_format", { expected: '{"type":"text"}', accepts: isTextFormat }],
  ["logprobs", only(false)],
  ["top_logprobs", only(0)],
  ["n", only(1)],
  ["best_of", only(1)],
  ["modalities", { expected: '["text"]', accepts: isTextModality }],
  ["audio", nothing],
  ["web_search_options", nothing],
  ["grammar", only("")],
  ["json_schema", nothing],
  ["guided_json", nothing],
  ["guided_regex", nothing],
  ["guided_choice", nothing],
  ["guided_grammar", nothing],
  ["structured_outputs", nothing],
]);

/**
 * Refuses parameters whose effect a client would miss, rather than ignoring them.
 * @throws {GgufdError} `unsupported_parameter`
 */
export function refuseUnsupported(body: Readonly<Record<string, unknown>>): void {
  for (const [name, { expected, accepts }] of unsupported) {
    const value = body[name];
    if (value === undefined || accepts(value)) continue;
    const reason = `expected ${expected}, got ${preview(value)}; more is not supported yet`;
    throw refusalOf("unsupported_parameter", [{ field: name, reason }]);
  }
}

function isTextModality(value: unknown): boolean {
  return Array.isArray(value) && value.length === 1 && value[0] === "text";
}

/** Arguments are as the model writes them; nothing forces them to fit their schema yet. */
function asksForStrictTools(tools: unknown): boolean {
  return (
    Array.isArray(tools) && tools.some(({ function: definition }) => definition?.strict === true)
  );
}

function isTextFormat(value: unknown): boolean {
  return typeof value === "object" && value !== null && "type" in value && value.type === "text";
}
