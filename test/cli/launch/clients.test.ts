import { join } from "node:path";
import { expect, test } from "vitest";
import { codingClients } from "../../../src/cli/launch/clients.js";
import { resolveClientFolder } from "../../../src/cli/launch/private-folder.js";

const target = {
  url: "http://127.0.0.1:8080",
  model: 'user/m"1:Q4',
  contextSize: 32_768,
  folder: "/private",
};

test("Claude Code uses the served model for all of its model roles", () => {
  expect(codingClients.claude.setup(target)).toEqual({
    environment: {
      ANTHROPIC_BASE_URL: "http://127.0.0.1:8080",
      ANTHROPIC_MODEL: 'user/m"1:Q4',
      ANTHROPIC_SMALL_FAST_MODEL: 'user/m"1:Q4',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: 'user/m"1:Q4',
      ANTHROPIC_DEFAULT_SONNET_MODEL: 'user/m"1:Q4',
      ANTHROPIC_DEFAULT_OPUS_MODEL: 'user/m"1:Q4',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: "32768",
    },
    args: [],
    files: undefined,
  });
});

test("Codex gets a separate home directory and the model as an argument", () => {
  expect(codingClients.codex.setup(target)).toEqual({
    environment: { CODEX_HOME: "/private" },
    args: [
      ...["-c", 'model="user/m\\"1:Q4"'],
      ...["-c", 'model_provider="ggufd"'],
      ...["-c", "model_context_window=32768"],
      "-c",
      'model_providers.ggufd={name="ggufd",base_url="http://127.0.0.1:8080/v1",wire_api="responses",env_key="GGUFD_KEY"}',
    ],
    files: {},
  });
});

test("opencode gets a configuration file separate from the user's", () => {
  const { environment, args, files } = codingClients.opencode.setup(target);
  expect({ environment, args }).toEqual({
    environment: { OPENCODE_CONFIG: join("/private", "opencode.json") },
    args: [],
  });
  expect(JSON.parse(files?.["opencode.json"] ?? "")).toEqual({
    model: 'ggufd/user/m"1:Q4',
    small_model: 'ggufd/user/m"1:Q4',
    provider: {
      ggufd: {
        npm: "@ai-sdk/openai-compatible",
        name: "ggufd",
        options: { baseURL: "http://127.0.0.1:8080/v1", apiKey: "{env:GGUFD_KEY}" },
        models: {
          'user/m"1:Q4': { limit: { context: 32_768, output: 8192 }, reasoning: true },
        },
      },
    },
  });
});

test("Qwen Code is configured by environment variables that override the user's login", () => {
  expect(codingClients.qwen.setup(target)).toEqual({
    environment: { OPENAI_BASE_URL: "http://127.0.0.1:8080/v1", OPENAI_MODEL: 'user/m"1:Q4' },
    args: ["--auth-type", "openai"],
    files: undefined,
  });
});

test("client configurations are stored in the user's state folder", () => {
  const place = (environment: NodeJS.ProcessEnv) =>
    resolveClientFolder("codex", environment, "/home/u");
  expect(place({})).toBe(join("/home/u", ".local/state/ggufd/launch/codex"));
  expect(place({ XDG_STATE_HOME: "/state" })).toBe(join("/state", "ggufd/launch/codex"));
});
