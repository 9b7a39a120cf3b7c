import type { ToolDefinition } from "../../../core/generation-request.js";
import { customDefinition } from "../custom-tool.js";
import { rejectRepeatedNames } from "../translate-tools.js";
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
  rejectRepeatedNames(
    offered.map(({ kind, namespace, definition: { name } }) => ({
      name,
      isLookedUp: kind === "custom" || namespace !== undefined,
    })),
  );
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
  const { format } = tool;
  const definition = customDefinition({
    ...common,
    grammar: format?.type === "grammar" ? format : undefined,
    definitionField: `${field}.format.definition`,
  });
  return { kind: "custom", name, namespace, definition };
}
