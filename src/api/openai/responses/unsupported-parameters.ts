import { refusalOf } from "../../../core/errors.js";
import { preview } from "../../../validation/preview.js";
import { hostedTypesOf } from "./offered-tools.js";
import type { ResponseRequest } from "./schema.js";

/** Parameters that nothing on this server could honour. */
const UNSUPPORTED = ["prompt", "context_management", "moderation"];

/** What becomes of tools that do not run here: the model is not told of them, or the request is refused. */
export type HostedToolPolicy = "leave-out" | "refuse";

/**
 * Rejects what cannot be honoured instead of silently ignoring it.
 * @throws {GgufdError} `unsupported_parameter`; `invalid_request` for parameters that contradict
 *   each other
 */
export function rejectUnsupportedParameters(
  body: ResponseRequest,
  hostedTools: HostedToolPolicy,
): void {
  if (hostedTools === "refuse") rejectHostedTools(body);
  for (const name of UNSUPPORTED) {
    const value = body[name];
    if (value === undefined) continue;
    const reason = `expected no such parameter, got ${preview(value)}, which is not supported yet`;
    throw refusalOf("unsupported_parameter", [{ field: name, reason }]);
  }
  if (body.background && body.store === false) {
    const reason = "expected true, because background is true, got false";
    throw refusalOf("invalid_request", [{ field: "store", reason }]);
  }
  if (body.conversation !== undefined && body.previous_response_id !== undefined) {
    const reason = "expected nothing beside previous_response_id, which has its own conversation";
    throw refusalOf("invalid_request", [{ field: "conversation", reason }]);
  }
}

function rejectHostedTools({ tools = [] }: ResponseRequest): void {
  const [type] = hostedTypesOf(tools);
  if (type === undefined) return;
  const field = `tools.${tools.findIndex((tool) => tool.type === type)}.type`;
  const reason = `expected one of function, custom, namespace, got ${preview(type)}, which runs on OpenAI's servers`;
  throw refusalOf("unsupported_parameter", [{ field, reason }]);
}
