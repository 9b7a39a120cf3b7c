import { join } from "node:path";

/** Model and folder for a coding agent. */
export interface ClientTarget {
  /** URL of the daemon. */
  readonly url: string;
  readonly model: string;
  /** Maximum tokens of a request and its answer. */
  readonly contextSize: number;
  /** Folder for files that only this agent reads. */
  readonly folder: string;
}

/** Configuration of a coding agent for a target, without the key. */
export interface ClientSetup {
  readonly environment: Readonly<Record<string, string>>;
  /** Arguments that precede the user's. */
  readonly args: readonly string[];
  /** Contents by file name; empty: the agent manages its folder; `undefined`: it needs none. */
  readonly files: Readonly<Record<string, string>> | undefined;
}

/** Coding agent that uses a model. */
export interface CodingClient {
  readonly title: string;
  readonly program: string;
  /** Command that installs the agent. */
  readonly install: string;
  /** Environment variable of the agent's API key. */
  readonly keyVariable: string;
  /** Environment variables that would make it use another provider. */
  readonly otherVariables: readonly string[];
  /** Minimum context size, in tokens: the agent's prompt and tools, and room for answers. */
  readonly minContextSize: number;
  /** Arguments that resume the agent's last session. */
  readonly resumeArgs: string;
  readonly setup: (target: ClientTarget) => ClientSetup;
}

const claude: CodingClient = {
  title: "Claude Code",
  program: "claude",
  install: "npm install -g @anthropic-ai/claude-code",
  keyVariable: "ANTHROPIC_AUTH_TOKEN",
  otherVariables: [
    "ANTHROPIC_API_KEY",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
  ],
  minContextSize: 65_536,
  resumeArgs: "--continue",
  setup: ({ url, model, contextSize }) => ({
    environment: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_SMALL_FAST_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      ANTHROPIC_DEFAULT_SONNET_MODEL: model,
      ANTHROPIC_DEFAULT_OPUS_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // Without it, the agent assumes a million tokens for a model that it does not know, and never
      // compacts the conversation.
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(contextSize),
    },
    args: [],
    files: undefined,
  }),
};

const codex: CodingClient = {
  title: "Codex",
  program: "codex",
  install: "npm install -g @openai/codex",
  keyVariable: "GGUFD_KEY",
  otherVariables: [],
  minContextSize: 32_768,
  resumeArgs: "resume --last",
  setup({ url, model, contextSize, folder }) {
    const provider = {
      name: "ggufd",
      base_url: `${url}/v1`,
      wire_api: "responses",
      env_key: "GGUFD_KEY",
    };
    const settings = {
      model: encodeTomlText(model),
      model_provider: encodeTomlText("ggufd"),
      model_context_window: String(contextSize),
      "model_providers.ggufd": encodeTomlTable(provider),
    };
    return {
      environment: { CODEX_HOME: folder },
      // The agent writes its configuration in that folder itself: it records the projects that the
      // user trusts.
      args: Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      files: {},
    };
  },
};

/** Maximum tokens of an answer, which opencode reserves in the context. */
const MAX_ANSWER_TOKENS = 8192;

const opencode: CodingClient = {
  title: "opencode",
  program: "opencode",
  install: "npm install -g opencode-ai",
  keyVariable: "GGUFD_KEY",
  otherVariables: [],
  minContextSize: 32_768,
  resumeArgs: "--continue",
  setup({ url, model, contextSize, folder }) {
    const limit = {
      context: contextSize,
      output: Math.min(MAX_ANSWER_TOKENS, Math.floor(contextSize / 4)),
    };
    const config = {
      model: `ggufd/${model}`,
      small_model: `ggufd/${model}`,
      provider: {
        ggufd: {
          npm: "@ai-sdk/openai-compatible",
          name: "ggufd",
          options: { baseURL: `${url}/v1`, apiKey: "{env:GGUFD_KEY}" },
          models: { [model]: { limit, reasoning: true } },
        },
      },
    };
    return {
      environment: { OPENCODE_CONFIG: join(folder, "opencode.json") },
      args: [],
      files: { "opencode.json": `${JSON.stringify(config, null, 2)}\n` },
    };
  },
};

const qwen: CodingClient = {
  title: "Qwen Code",
  program: "qwen",
  install: "npm install -g @qwen-code/qwen-code",
  keyVariable: "OPENAI_API_KEY",
  otherVariables: [],
  minContextSize: 32_768,
  resumeArgs: "--continue",
  setup: ({ url, model }) => ({
    environment: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: model },
    // The user's saved sign-in would otherwise take precedence over the variables.
    args: ["--auth-type", "openai"],
    files: undefined,
  }),
};

/** Coding agents by their names on the command line. */
export const codingClients = { claude, codex, opencode, qwen } as const satisfies Record<
  string,
  CodingClient
>;

export type ClientName = keyof typeof codingClients;

/**
 * Encodes a TOML basic string. A JSON string is one unless it contains U+007F, which no name does.
 */
function encodeTomlText(text: string): string {
  return JSON.stringify(text);
}

function encodeTomlTable(texts: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(texts).map(([name, text]) => `${name}=${encodeTomlText(text)}`);
  return `{${pairs.join(",")}}`;
}
