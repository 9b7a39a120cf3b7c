import { refusalOf } from "../../../core/errors.js";
import type { ToolDefinition } from "../../../core/generation-request.js";
import { preview } from "../../../validation/preview.js";
import {
  type CustomTool,
  type FunctionTool,
  HOSTED_TOOLS,
  type HostedTool,
  type ResponseTool,
} from "./tool-schema.js";

/** How a client names a tool. */
export interface ToolName {
  readonly name: string;
  /** Absent: it is in no namespace. */
  readonly namespace?: string | null | undefined;
}

/** A tool that the model may call. */
export interface OfferedTool extends ToolName {
  readonly kind: "function" | "custom";
  /** As the model knows it, by a name of its own. */
  readonly definition: ToolDefinition;
}

/** The member of a custom tool's arguments that is its input. */
export const CUSTOM_INPUT = "input";

const SEPARATOR = "__";

/**
 * The name by which the model knows a tool: names of different namespaces may be the same. Codex ends the namespaces of
 * MCP servers as names are joined there.
 */
export function offeredName({ name, namespace }: ToolName): string {
  if (!namespace) return name;
  return namespace.endsWith(SEPARATOR) ? namespace + name : namespace + SEPARATOR + name;
}

/**
 * The tools of a request that the model is told of; hosted ones are left out.
 * @throws {GgufdError} `invalid_request` for two tools that have one name
 */
export function offeredTools(tools: readonly ResponseTool[] = []): readonly OfferedTool[] {
  const offered = tools.flatMap((tool, index): OfferedTool[] => {
    const field = `tools.${index}`;
    switch (tool.type) {
      case "function":
      case "custom":
        return [toOffered(tool, field)];
      case "namespace":
        return tool.tools.map((inner, place) =>
          toOffered(inner, `${field}.tools.${place}`, tool.name),
        );
      default:
        return [];
    }
  });
  rejectRepeatedNames(offered);
  return offered;
}

/** The types of a request's hosted tools. */
export function hostedTypesOf(tools: readonly ResponseTool[] = []): readonly HostedTool["type"][] {
  const isHosted = (tool: ResponseTool): tool is HostedTool =>
    HOSTED_TOOLS.some((type) => type === tool.type);
  return tools.filter(isHosted).map(({ type }) => type);
}

function toOffered(
  tool: FunctionTool | CustomTool,
  field: string,
  namespace?: string,
): OfferedTool {
  const { name, description } = tool;
  const common = { name: offeredName({ name, namespace }), description: description ?? undefined };
  if (tool.type === "function") {
    const { parameters, strict } = tool;
    return {
      kind: "function",
      name,
      namespace,
      definition: {
        ...common,
        parameters: parameters ?? undefined,
        parametersField: `${field}.parameters`,
        strict: strict ?? undefined,
      },
    };
  }
  return {
    kind: "custom",
    name,
    namespace,
    definition: {
      ...common,
      parameters: customParameters(tool),
      parametersField: `${field}.format.definition`,
      // Otherwise what the model writes may have no input in it.
      strict: true,
    },
  };
}

/** A model's conventions have arguments only: the text is one. */
function customParameters({ format }: CustomTool): Readonly<Record<string, unknown>> {
  const input =
    format?.type === "grammar"
      ? { type: "string", pattern: `^(?:${format.definition})$` }
      : { type: "string" };
  return {
    type: "object",
    properties: { [CUSTOM_INPUT]: input },
    required: [CUSTOM_INPUT],
    additionalProperties: false,
  };
}

/** The names of functions may repeat, as they always might; those of namespaces and custom tools are looked up. */
function rejectRepeatedNames(tools: readonly OfferedTool[]): void {
  const first = new Map<string, OfferedTool>();
  for (const tool of tools) {
    const { name } = tool.definition;
    const before = first.get(name);
    const isPlain = ({ kind, namespace }: OfferedTool) =>
      kind === "function" && namespace === undefined;
    if (before === undefined) first.set(name, tool);
    else if (!isPlain(before) || !isPlain(tool)) {
      const reason = `expected names that differ, got ${preview(name)} twice`;
      throw refusalOf("invalid_request", [{ field: "tools", reason }]);
    }
  }
}
