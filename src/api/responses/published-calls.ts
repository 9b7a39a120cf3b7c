import type { z } from "zod";
import { parseKeepingText } from "../../core/json.js";
import type { IdPrefix } from "./create-id.js";
import {
  type CallItem,
  type CallOutputItem,
  type ItemStatus,
  localShellAction,
  patchOperation,
  shellAction,
} from "./item-schema.js";
import type { PublishedType } from "./published-tools.js";

export type PublishedCall = Extract<CallItem, { readonly type: `${PublishedType}_call` }>;
export type PublishedOutput = Extract<
  CallOutputItem,
  { readonly type: `${PublishedType}_call_output` }
>;

/** Prefix of the ids of each tool's calls. */
export const CALL_PREFIXES = {
  local_shell: "lsh",
  shell: "sh",
  apply_patch: "apc",
} as const satisfies Readonly<Record<PublishedType, IdPrefix>>;

/**
 * Builds the call of a published tool.
 * @param argumentsJson arguments that the model wrote, complete or cut off by the token limit; the
 *   action of an incomplete call is empty
 */
export function toPublishedCall(
  type: PublishedType,
  ids: { readonly id: string; readonly call_id: string },
  argumentsJson: string,
  status: ItemStatus,
): PublishedCall {
  const written = parseKeepingText(argumentsJson) ?? {};
  switch (type) {
    case "local_shell": {
      const empty = { type: "exec" as const, command: [], env: {} };
      const action = parseOr(localShellAction, { ...empty, ...written, type: "exec" }, empty);
      return { type: "local_shell_call", ...ids, action, status };
    }
    case "shell": {
      const empty = { commands: [], timeout_ms: null, max_output_length: null };
      const action = parseOr(shellAction, { ...empty, ...written }, empty);
      return { type: "shell_call", ...ids, action, environment: { type: "local" }, status };
    }
    case "apply_patch": {
      const empty = { type: "update_file", path: "", diff: "" } as const;
      const operation = parseOr(patchOperation, { diff: "", ...written }, empty);
      const isComplete = status === "completed";
      return {
        type: "apply_patch_call",
        ...ids,
        operation,
        status: isComplete ? "completed" : "in_progress",
      };
    }
  }
}

function parseOr<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  fallback: z.output<Schema>,
): z.output<Schema> {
  const result = schema.safeParse(value);
  return result.success ? result.data : fallback;
}

/** Returns the tool and the arguments of a call, as the model wrote them. */
export function toWrittenCall(call: PublishedCall): {
  readonly name: PublishedType;
  readonly arguments: string;
} {
  switch (call.type) {
    case "local_shell_call": {
      const { type: _, env, ...others } = call.action;
      const hasVariables = Object.keys(env).length > 0;
      return {
        name: "local_shell",
        arguments: JSON.stringify({ ...others, ...(hasVariables && { env }) }),
      };
    }
    case "shell_call": {
      const { commands, timeout_ms, max_output_length } = call.action;
      const limits = {
        ...(timeout_ms !== null && { timeout_ms }),
        ...(max_output_length !== null && { max_output_length }),
      };
      return { name: "shell", arguments: JSON.stringify({ commands, ...limits }) };
    }
    case "apply_patch_call": {
      const { type, path } = call.operation;
      const diff = "diff" in call.operation ? call.operation.diff : "";
      return { name: "apply_patch", arguments: JSON.stringify({ type, path, diff }) };
    }
  }
}

/** Returns the text of a call's output for the model. */
export function toOutputText(item: PublishedOutput): string {
  switch (item.type) {
    case "local_shell_call_output":
      return item.output;
    case "shell_call_output":
      return item.output
        .flatMap(({ stdout, stderr, outcome }) => [
          stdout,
          stderr,
          outcome.type === "exit" ? `exit code: ${outcome.exit_code}` : "timed out",
        ])
        .map((text) => text.replace(/\n$/, ""))
        .filter((text) => text !== "")
        .join("\n");
    case "apply_patch_call_output":
      return item.output ? `${item.status}: ${item.output}` : item.status;
  }
}
