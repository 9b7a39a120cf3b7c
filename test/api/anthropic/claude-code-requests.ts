/**
 * Requests in the form of Claude Code's for one turn of a conversation, with invented texts, tools
 * and files.
 */

const cached = { cache_control: { type: "ephemeral" } };

export const headers = {
  "anthropic-version": "2023-06-01",
  "anthropic-beta":
    "claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,prompt-caching-scope-2026-01-05",
  "anthropic-dangerous-direct-browser-access": "true",
  "user-agent": "claude-cli/2.0.0 (external, cli)",
  "x-app": "cli",
  "x-stainless-lang": "js",
  "x-stainless-retry-count": "0",
  authorization: "Bearer key",
};

/** A line that differs in each request, then long texts that do not. */
const system = (hash: string) => [
  {
    type: "text",
    text: `x-anthropic-billing-header: cc_version=2.0.0.abc; cc_entrypoint=cli; cch=${hash};`,
  },
  { type: "text", text: "You help with the files of a small library of seed packets.", ...cached },
  {
    type: "text",
    text: `# Manner\n${Array.from({ length: 60 }, (_, rule) => `- Rule ${rule}: say what you did, then stop.`).join("\n")}\n\n# Surroundings\nFolder: /home/ada/seeds\nBranch: main\n`,
    ...cached,
  },
];

interface Field {
  readonly type: string;
  readonly description: string;
  readonly [keyword: string]: unknown;
}

const tool = (name: string, description: string, fields: Readonly<Record<string, Field>>) => ({
  name,
  description,
  input_schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: fields,
    required: Object.keys(fields).slice(0, 1),
    additionalProperties: false,
  },
});

const text = (description: string): Field => ({ type: "string", description });
const number = (description: string): Field => ({ type: "number", description });
const flag = (description: string): Field => ({ type: "boolean", description });
const path = text("An absolute path");

export const tools = [
  tool("Task", "Gives a piece of the work to a helper.", { prompt: text("What to do") }),
  tool("Bash", "Runs a command in a shell that stays open.", {
    command: text("The command"),
    timeout: number("Milliseconds"),
    run_in_background: flag("Whether to wait"),
  }),
  tool("Glob", "Finds files by a pattern of their names.", { pattern: text("The pattern"), path }),
  tool("Grep", "Finds lines by a pattern.", {
    pattern: text("A regular expression"),
    path,
    output_mode: { ...text("What to list"), enum: ["content", "files", "count"] },
    "-i": flag("Whether case matters not"),
  }),
  tool("Read", "Reads a file.", {
    file_path: path,
    offset: number("First line"),
    limit: number("Lines"),
  }),
  tool("Edit", "Replaces a text in a file.", {
    file_path: path,
    old_string: text("What is there"),
    new_string: text("What is to be there"),
    replace_all: { ...flag("Everywhere"), default: false },
  }),
  tool("Write", "Writes a file.", { file_path: path, content: text("All of it") }),
  tool("NotebookEdit", "Changes a cell.", { notebook_path: path, new_source: text("The cell") }),
  tool("WebFetch", "Reads a page.", { url: { ...text("Where"), format: "uri" } }),
  tool("WebSearch", "Looks something up.", { query: { ...text("What"), minLength: 2 } }),
  tool("TodoWrite", "Keeps the list of what is to be done.", {
    todos: {
      type: "array",
      description: "All items",
      items: {
        type: "object",
        properties: {
          content: { type: "string", minLength: 1 },
          status: { type: "string", enum: ["pending", "in_progress", "completed"] },
        },
        required: ["content", "status"],
        additionalProperties: false,
      },
    },
  }),
  tool("ExitPlanMode", "Ends planning.", { plan: text("The plan") }),
  tool("BashOutput", "Reads what a command has printed.", { bash_id: text("Which") }),
  tool("KillShell", "Ends a command.", { shell_id: text("Which") }),
  tool("mcp__seeds__lookup_variety", "Looks up a variety.", { name: text("Its name") }),
];

const question = {
  role: "user",
  content: [
    {
      type: "text",
      text: "<system-reminder>\nThe list of what is to be done is empty.\n</system-reminder>\n",
    },
    { type: "text", text: "How many kinds of peas are in peas.csv?", ...cached },
  ],
};

const common = {
  model: "scripted",
  tools,
  metadata: { user_id: "user_0123_account__session_4567" },
  max_tokens: 32000,
  thinking: { type: "enabled", budget_tokens: 31999 },
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
  stream: true,
};

export const firstTurn = { ...common, system: system("1a2b3"), messages: [question] };

/**
 * Request after an answer of thinking, text and calls.
 * @param content blocks of that answer, as the client received them
 */
export function secondTurn(content: readonly { readonly type: string; readonly id?: string }[]) {
  const results = content
    .filter(({ type }) => type === "tool_use")
    .map(({ id }, index, { length }) => ({
      tool_use_id: id,
      type: "tool_result",
      content:
        index === 0
          ? "1\tname,kind\n2\tAlaska,pea\n3\tKelvedon,pea\n"
          : [{ type: "text", text: "no match" }],
      ...(index > 0 && { is_error: true }),
      ...(index === length - 1 && cached),
    }));
  return {
    ...common,
    system: system("9f8e7"),
    messages: [question, { role: "assistant", content }, { role: "user", content: results }],
  };
}

/** Auxiliary requests: a check of the key, a title, and the token count of the tools. */
export const probe = {
  model: "scripted",
  max_tokens: 1,
  messages: [{ role: "user", content: "quota" }],
  metadata: common.metadata,
};

export const title = {
  model: "scripted",
  max_tokens: 512,
  temperature: 1,
  system: [{ type: "text", text: "Write a title of a few words for this conversation." }],
  messages: [{ role: "user", content: [{ type: "text", text: "How many kinds of peas?" }] }],
  tools: [],
  metadata: common.metadata,
  output_config: {
    format: {
      type: "json_schema",
      schema: {
        type: "object",
        properties: { title: { type: "string" } },
        required: ["title"],
        additionalProperties: false,
      },
    },
  },
  stream: true,
};

export const counted = {
  model: "scripted",
  messages: [{ role: "user", content: "foo" }],
  tools,
};
