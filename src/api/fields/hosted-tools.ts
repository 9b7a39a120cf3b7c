import { createRefusal, type GgufdError } from "../../core/errors.js";
import { preview } from "../../validation/preview.js";

/** Types of tools that OpenAI's servers run. */
export const HOSTED_TOOL_TYPES = [
  "web_search",
  "web_search_2025_08_26",
  "web_search_preview",
  "web_search_preview_2025_03_11",
  "file_search",
  "code_interpreter",
  "image_generation",
  "mcp",
] as const;

export const HOSTED_TOOL_DESCRIPTION =
  "A tool that the provider's servers run: left out of the prompt, or rejected with `--hosted-tools refuse`.";

/** Policy for hosted tools: leave them out of the prompt, or refuse the request. */
export type HostedToolPolicy = "leave-out" | "refuse";

/** Dependencies of the routes whose requests may have hosted tools. */
export interface HostedToolContext {
  readonly hostedTools: HostedToolPolicy;
}

/** Hosted tool of a request. */
export interface HostedTool {
  /** Request field at fault if the tool is refused. */
  readonly field: string;
  /** Type of the tool, such as `web_search`. */
  readonly type: string;
}

interface WarningLog {
  warn(details: object, message: string): void;
}

/**
 * Applies the server's policy to the hosted tools of a request: logs that they are left out of the
 * prompt, or refuses them.
 * @throws {GgufdError} `unsupported_parameter` for the first tool, if the policy is `refuse`
 */
export function applyHostedToolPolicy(
  tools: readonly HostedTool[],
  policy: HostedToolPolicy,
  log: WarningLog,
): void {
  const [first] = tools;
  if (first === undefined) return;
  if (policy === "refuse") throw createHostedToolError(first);
  const types = tools.map(({ type }) => type);
  log.warn({ tools: types }, "tools that do not run here are left out of the prompt");
}

/** Creates the error for a hosted tool, which the person who asked for it may see. */
export function createHostedToolError({ field, type }: HostedTool): GgufdError {
  const reason = `expected a tool that the client runs, got ${preview(type)}: ggufd does not run it; use a function or an MCP server on the client's side instead, or start ggufd with --hosted-tools leave-out`;
  return createRefusal("unsupported_parameter", [{ field, reason }]);
}

/**
 * Creates the error for a request that requires a call, but has no tool that the model can call.
 * @param hosted hosted tools of the request
 */
export function createNoCallableToolError(hosted: readonly HostedTool[]): GgufdError {
  const [first] = hosted;
  const reason =
    first === undefined
      ? "expected at least one tool, because tool_choice requires a call, got none"
      : `expected tools that the model can call, got ${preview(first.type)}, which does not run here`;
  return createRefusal("invalid_request", [{ field: "tools", reason }]);
}
