import type { ServerKind } from "../servers/server.js";
import type { Control } from "./json-requests.js";

/** Whether the answer is constrained, or the same prompt is answered freely. */
export type Decoding = "constrained" | "free";

/** Name of the tool, of schemas and of grammars. */
const NAME = "answer";

/** Fields of a request's body that constrain its answer. */
export function controlMembers(
  control: Control,
  decoding: Decoding,
  server: ServerKind,
): Readonly<Record<string, unknown>> {
  if (control.kind === "tool-call") {
    const tool = { name: NAME, description: "Takes the answer.", parameters: control.schema };
    const choice = decoding === "constrained" ? "required" : freeToolChoice(server);
    return {
      tools: [{ type: "function", function: tool }],
      tool_choice: choice,
      parallel_tool_calls: false,
    };
  }
  if (decoding === "free") return {};
  switch (control.kind) {
    case "schema": {
      const json_schema = { name: NAME, strict: true, schema: control.schema };
      return { response_format: { type: "json_schema", json_schema } };
    }
    case "regex":
      return server === "llama-server"
        ? { grammar: control.gbnf }
        : { structured_outputs: { regex: control.regex } };
  }
}

/**
 * Tool choice with which the prompt contains the tool and the answer is unconstrained: ggufd omits
 * tools from the prompt for `none`, and llama-server constrains a call that begins for `auto`.
 */
function freeToolChoice(server: ServerKind): "auto" | "none" {
  return server === "ggufd" ? "auto" : "none";
}
