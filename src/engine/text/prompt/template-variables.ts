import { toValue } from "./jinja/json.js";
import { strftime } from "./jinja/strftime.js";
import type { Value } from "./jinja/value.js";
import type { MessageForm } from "./message-form.js";
import type { MapText } from "./template-messages.js";

/**
 * The variables of a template beside messages and tools, with the defaults and the aliases of
 * llama.cpp: thinking is on if the model has a form for it, and `reasoning_effort` "none" turns it off; the reasoning of earlier
 * answers is preserved, which has another name in each model family.
 * @param requested the client's own
 */
export function templateVariables(
  requested: Readonly<Record<string, unknown>>,
  { thinking }: MessageForm,
  now: Date,
  mapText: MapText,
): Map<string, Value> {
  const { reasoning_effort: effort, preserve_reasoning: preserves = true } = requested;
  const variables = new Map<string, Value>([
    ["enable_thinking", thinking === "on" && effort !== "none"],
    ["datetime", strftime(now, "%b %d %Y")],
    ["date_string", strftime(now, "%d %b %Y")],
    ["preserve_thinking", preserves === true],
    ["clear_thinking", preserves !== true],
    ["truncate_history_thinking", preserves !== true],
    ["drop_thinking", preserves !== true],
  ]);
  if (typeof effort === "string") variables.set("reasoning_strength", mapText(effort));
  for (const [name, value] of Object.entries(requested)) {
    variables.set(name, toValue(value, mapText));
  }
  if (effort === "none") {
    variables.delete("reasoning_effort");
    variables.delete("reasoning_strength");
  }
  return variables;
}
