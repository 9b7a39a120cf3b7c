import { join } from "node:path";

/** What a program is to use. */
export interface ClientTarget {
  /** Of the daemon. */
  readonly url: string;
  readonly model: string;
  /** Tokens that a request may have, with its answer. */
  readonly contextSize: number;
  /** Of files that only this program reads. */
  readonly folder: string;
}

/** What tells a program that. Without the key. */
export interface ClientSetup {
  readonly environment: Readonly<Record<string, string>>;
  /** Before those of the user. */
  readonly args: readonly string[];
  /** Texts by their names in the folder; without any, it is the program's own. `undefined`: it needs no folder. */
  readonly files: Readonly<Record<string, string>> | undefined;
}

/** A program that writes code with a model. */
export interface CodingClient {
  readonly title: string;
  readonly program: string;
  /** The command that installs it. */
  readonly install: string;
  /** The variable that it reads its key from. */
  readonly keyVariable: string;
  /** Variables that would have it ask somebody else. */
  readonly otherVariables: readonly string[];
  /** Tokens of context that its prompt with its tools leaves room in. */
  readonly leastContext: number;
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
  leastContext: 65_536,
  setup: ({ url, model }) => ({
    environment: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_SMALL_FAST_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      ANTHROPIC_DEFAULT_SONNET_MODEL: model,
      ANTHROPIC_DEFAULT_OPUS_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
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
  leastContext: 32_768,
  setup({ url, model, contextSize, folder }) {
    const provider = {
      name: "ggufd",
      base_url: `${url}/v1`,
      wire_api: "responses",
      env_key: "GGUFD_KEY",
    };
    const settings = {
      model: tomlText(model),
      model_provider: tomlText("ggufd"),
      model_context_window: String(contextSize),
      "model_providers.ggufd": tomlTable(provider),
    };
    return {
      environment: { CODEX_HOME: folder },
      // Its configuration in that folder is its own: it notes there which projects its user trusts.
      args: Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      files: {},
    };
  },
};

/** Tokens of an answer, of which opencode leaves room in the context. */
const LONGEST_ANSWER = 8192;

const opencode: CodingClient = {
  title: "opencode",
  program: "opencode",
  install: "npm install -g opencode-ai",
  keyVariable: "GGUFD_KEY",
  otherVariables: [],
  leastContext: 32_768,
  setup({ url, model, contextSize, folder }) {
    const limit = {
      context: contextSize,
      output: Math.min(LONGEST_ANSWER, Math.floor(contextSize / 4)),
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
  leastContext: 32_768,
  setup: ({ url, model }) => ({
    environment: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: model },
    // What its user has signed in with would go before the variables.
    args: ["--auth-type", "openai"],
    files: undefined,
  }),
};

/** By their names on the command line. */
export const codingClients = { claude, codex, opencode, qwen } as const satisfies Record<
  string,
  CodingClient
>;

export type ClientName = keyof typeof codingClients;

/** TOML's basic strings are JSON's, but for a character that no name has. */
function tomlText(text: string): string {
  return JSON.stringify(text);
}

function tomlTable(texts: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(texts).map(([name, text]) => `${name}=${tomlText(text)}`);
  return `{${pairs.join(",")}}`;
}
