import { GgufdError } from "../../core/errors.js";

/** Whether a parameter asks for nothing beyond what every answer has. */
type IsHarmless = (value: unknown) => boolean;

const isEmptyList: IsHarmless = (value) => Array.isArray(value) && value.length === 0;
const equals =
  (...accepted: readonly unknown[]): IsHarmless =>
  (value) =>
    accepted.includes(value);

/** Known parameters that this server does not support, and the values that change nothing. */
const unsupported: ReadonlyMap<string, IsHarmless> = new Map([
  ["tools", (value) => !asksForStrictTools(value)],
  ["tool_choice", equals("none", "auto")],
  ["functions", isEmptyList],
  ["function_call", equals("none", "auto")],
  ["response_format", (value) => isTextFormat(value)],
  ["logprobs", equals(false)],
  ["top_logprobs", equals(0)],
  ["n", equals(1)],
  ["best_of", equals(1)],
  ["modalities", (value) => Array.isArray(value) && value.length === 1 && value[0] === "text"],
  ["audio", () => false],
  ["web_search_options", () => false],
  ["grammar", equals("")],
  ["json_schema", () => false],
  ["guided_json", () => false],
  ["guided_regex", () => false],
  ["guided_choice", () => false],
  ["guided_grammar", () => false],
  ["structured_outputs", () => false],
]);

/**
 * Refuses parameters whose effect a client would miss, rather than ignoring them.
 * @throws {GgufdError} `unsupported_parameter`
 */
export function refuseUnsupported(body: Readonly<Record<string, unknown>>): void {
  for (const [name, isHarmless] of unsupported) {
    const value = body[name];
    if (value === undefined || isHarmless(value)) continue;
    const reason =
      name === "tools"
        ? "this server does not support strict yet"
        : "this server does not support it yet";
    throw new GgufdError("unsupported_parameter", `${name}: ${reason}.`, {
      param: name,
      details: [{ field: name, reason }],
    });
  }
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
