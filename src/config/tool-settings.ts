import { z } from "zod";
import type { ToolServerSpec } from "../core/tool-servers.js";
import { integerBetween } from "../validation/fields.js";
import type { Setting } from "./setting.js";

const FORM = "expected NAME=URL or NAME=COMMAND, such as files=npx -y @scope/server /srv/files";

/** Names of MCP servers: they begin the names of tools in prompts. */
const NAME = /^[A-Za-z0-9][\w-]{0,31}$/;

/** Schema of `NAME=URL|COMMAND`. */
export function toolServer() {
  return z.string({ error: FORM }).transform((text, context): ToolServerSpec => {
    const spec = parseToolServer(text);
    if (typeof spec !== "string") return spec;
    context.issues.push({ code: "custom", message: spec, input: text });
    return z.NEVER;
  });
}

/** Parses `NAME=URL|COMMAND`. @returns a text: what was expected */
function parseToolServer(text: string): ToolServerSpec | string {
  const separator = text.indexOf("=");
  const name = text.slice(0, Math.max(0, separator)).trim();
  const target = text.slice(separator + 1).trim();
  if (separator < 0 || target === "") return FORM;
  if (!NAME.test(name)) {
    return "expected a name of 1 to 32 letters, digits, _ or -, a letter or digit first, before =";
  }
  if (/^https?:\/\//i.test(target)) {
    return URL.canParse(target)
      ? { name, transport: "http", url: new URL(target).href }
      : "expected an http or https URL after =";
  }
  const words = splitWords(target);
  const [command, ...args] = words ?? [];
  if (command === undefined) return "expected a closing quote in the command";
  return { name, transport: "stdio", command, args };
}

const WORD = /(?:[^\s"']|"[^"]*"|'[^']*')+/y;
const SPACE = /\s*/y;

/**
 * Splits a command into words. Single and double quotes enclose white space; there are no escapes.
 * @returns `undefined`: a quote is not closed
 */
export function splitWords(command: string): readonly string[] | undefined {
  const words: string[] = [];
  for (let index = 0; index < command.length; ) {
    WORD.lastIndex = index;
    const word = WORD.exec(command)?.[0];
    if (word === undefined) return undefined;
    words.push(word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
    SPACE.lastIndex = index + word.length;
    index += word.length + (SPACE.exec(command)?.[0].length ?? 0);
  }
  return words;
}

function hasUniqueNames(specs: readonly ToolServerSpec[]): boolean {
  return new Set(specs.map(({ name }) => name)).size === specs.length;
}

/** Settings of tools that the daemon runs. */
export const toolSettings = {
  mcp: {
    schema: z
      .array(toolServer(), { error: "expected a list of MCP servers" })
      .refine(hasUniqueNames, { error: "expected names that differ" })
      .default([]),
    factOf: "server",
    form: "list",
    placeholder: "NAME=URL|COMMAND",
    help: "MCP server whose tools clients may call; repeatable (default: none)",
    details:
      "Streamable HTTP at a URL, or a command that is run without a shell and with a minimal environment; quotes enclose spaces. Keys need the scope `tools`.",
  },
  mcpTimeout: {
    schema: integerBetween(1, 3600).default(60),
    factOf: "server",
    form: "integer",
    placeholder: "SECONDS",
    help: "time limit of a call of an MCP server's tool, in seconds",
  },
} as const satisfies Record<string, Setting>;
