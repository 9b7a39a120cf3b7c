import type { McpChoice } from "./mcp-tool-schema.js";
import { noServers, type SelectedServer, toRepeatedTool } from "./mcp-tools.js";
import { isContainerShell, isPublishedType, type ShellTool } from "./published-tools.js";
import type { AllowedTool, ResponseObject } from "./response-schema.js";
import type { ResponseRequest, TextFormat } from "./schema.js";
import {
  type CustomTool,
  type FunctionTool,
  isMcpChoice,
  isNamedTool,
  type NamedTool,
  type ResponseTool,
  type ResponseToolChoice,
} from "./tools.js";

/** Properties of a response that do not come from its request. */
export interface ResponseIdentity {
  readonly id: string;
  /** Unix time in seconds. */
  readonly createdAt: number;
  /** Alias of the served model. */
  readonly model: string;
}

/**
 * Creates the response to a request, without output. It repeats the request's parameters, as in
 * OpenAI's API.
 * @param servers selected MCP servers of the request
 */
export function createResponse(
  body: ResponseRequest,
  { id, createdAt, model }: ResponseIdentity,
  servers: readonly SelectedServer[] = noServers,
): ResponseObject {
  const conversationId = conversationIdOf(body);
  return {
    id,
    object: "response",
    created_at: createdAt,
    completed_at: null,
    status: "in_progress",
    background: body.background ?? false,
    error: null,
    incomplete_details: null,
    model,
    output: [],
    previous_response_id: body.previous_response_id ?? null,
    conversation: conversationId === undefined ? null : { id: conversationId },
    instructions: body.instructions ?? null,
    tools: (body.tools ?? []).flatMap((tool, index) => {
      const selected = servers.find((server) => server.index === index);
      return selected === undefined ? toTools(tool) : [toRepeatedTool(selected)];
    }),
    tool_choice: toToolChoice(body.tool_choice ?? "auto"),
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    max_tool_calls: body.max_tool_calls ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    temperature: body.temperature ?? null,
    top_p: body.top_p ?? null,
    top_logprobs: body.top_logprobs ?? 0,
    text: toText(body),
    reasoning: toReasoning(body),
    truncation: body.truncation ?? "disabled",
    metadata: body.metadata ?? {},
    store: body.store ?? true,
    service_tier: "default",
    ...(body.user !== undefined && { user: body.user }),
    safety_identifier: body.safety_identifier ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
  };
}

/** Returns the id of the stored conversation that a request continues. */
export function conversationIdOf({ conversation }: ResponseRequest): string | undefined {
  return typeof conversation === "object" ? conversation.id : conversation;
}

/** Tools that the model may call, without hosted ones. */
function toTools(tool: ResponseTool): ResponseObject["tools"] {
  switch (tool.type) {
    case "function":
    case "custom":
      return [toTool(tool)];
    case "namespace": {
      const { type, name, description, tools } = tool;
      return [{ type, name, description: description ?? "", tools: tools.map(toTool) }];
    }
    case "local_shell":
    case "apply_patch":
      return [{ type: tool.type }];
    case "shell":
      return isContainerShell(tool) ? [] : [toShell(tool)];
    default:
      return [];
  }
}

function toShell({ type, environment }: ShellTool) {
  const skills = environment?.type === "local" ? environment.skills : undefined;
  return {
    type,
    environment: {
      type: "local" as const,
      ...(skills && {
        skills: skills.map(({ name, description, path }) => ({ name, description, path })),
      }),
    },
  };
}

function toTool(tool: FunctionTool | CustomTool) {
  const { name, description } = tool;
  return tool.type === "function"
    ? {
        type: tool.type,
        name,
        description: description ?? null,
        parameters: tool.parameters ?? null,
        strict: tool.strict ?? false,
      }
    : {
        type: tool.type,
        name,
        ...(description && { description }),
        format: toCustomFormat(tool.format ?? { type: "text" }),
      };
}

function toCustomFormat(format: NonNullable<CustomTool["format"]>) {
  if (format.type === "text") return { type: format.type };
  const { type, syntax, definition } = format;
  return { type, syntax, definition };
}

function toToolChoice(choice: ResponseToolChoice): ResponseObject["tool_choice"] {
  if (typeof choice === "string") return choice;
  if (isNamedTool(choice)) return toNamedTool(choice);
  if (choice.type === "mcp") return toMcpChoice(choice);
  if (choice.type !== "allowed_tools") return { type: choice.type };
  const { type, mode } = choice;
  const tools = choice.tools.flatMap((tool): AllowedTool[] => {
    if (isNamedTool(tool)) return [toNamedTool(tool)];
    if (isMcpChoice(tool)) return [toMcpChoice(tool)];
    return isPublishedType(tool.type) ? [{ type: tool.type }] : [];
  });
  return { type, mode, tools };
}

function toMcpChoice({ type, server_label, name }: McpChoice) {
  return { type, server_label, ...(name && { name }) };
}

function toNamedTool({ type, name, namespace }: NamedTool) {
  return { type, name, ...(namespace && { namespace }) };
}

function toText({ text: { format, verbosity } = {} }: ResponseRequest): ResponseObject["text"] {
  return { format: toFormat(format ?? { type: "text" }), verbosity: verbosity ?? "medium" };
}

function toReasoning({
  reasoning: { effort, summary } = {},
}: ResponseRequest): ResponseObject["reasoning"] {
  return { effort: effort ?? null, summary: summary ?? null };
}

function toFormat(format: TextFormat): ResponseObject["text"]["format"] {
  if (format.type !== "json_schema") return { type: format.type };
  const { name, description, schema, strict } = format;
  return {
    type: "json_schema",
    name: name ?? "schema",
    ...(description && { description }),
    schema,
    strict: strict ?? true,
  };
}
