import { pino } from "pino";
import { describe, expect, it } from "vitest";
import type { HostedToolPolicy } from "../../src/api/fields/hosted-tools.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { buildTestApp } from "../support/test-app.js";

const WARNING = "tools that do not run here are left out of the prompt";

async function send(url: string, payload: object, hostedTools?: HostedToolPolicy) {
  const lines: string[] = [];
  const logger = pino({ level: "warn" }, { write: (line) => lines.push(line) });
  const engine = new ScriptedEngine(() => ({ parts: ["Hi."] }), { contextSize: 9999 });
  const { app } = buildTestApp(engine, { logger, ...(hostedTools && { hostedTools }) });
  const response = await app.inject({ method: "POST", url, payload });
  const warnings = lines.map((line) => JSON.parse(line)).map(({ tools, msg }) => ({ tools, msg }));
  return {
    status: response.statusCode,
    error: response.json().error,
    warnings,
    offered: engine.requests[0]?.prompt.tools.map(({ name }) => name),
    fields: engine.requests[0]?.prompt.tools.map(({ parametersField }) => parametersField),
  };
}

const messages = [{ role: "user", content: "Hi" }];
const message = { messages, max_tokens: 10 };
const search = { type: "web_search_20250305", name: "web_search", max_uses: 5 };
const add = {
  chat: { type: "function", function: { name: "add" } },
  responses: { type: "function", name: "add" },
  messages: { name: "add", input_schema: {} },
};

/** Requests with a hosted tool before a function, the field at fault, and the tool's type. */
const dialects: readonly (readonly [url: string, payload: object, field: string, type: string])[] =
  [
    ...["/v1/chat/completions", "/v1/chat/completions/input_tokens"]
      .flatMap((url) => [
        [
          url,
          { messages, tools: [add.chat], web_search_options: {} },
          "web_search_options",
        ] as const,
        [url, { messages, tools: [{ type: "web_search" }, add.chat] }, "tools.0.type"] as const,
      ])
      .map(([url, payload, field]) => [url, payload, field, "web_search"] as const),
    ...["web_search_preview", "file_search", "code_interpreter", "image_generation", "mcp"].map(
      (type) =>
        [
          "/v1/responses",
          { input: "Hi", tools: [{ type }, add.responses] },
          "tools.0.type",
          type,
        ] as const,
    ),
    [
      "/v1/responses/input_tokens",
      { input: "Hi", tools: [{ type: "web_search" }, add.responses] },
      "tools.0.type",
      "web_search",
    ],
    ...[
      "web_search_20250305",
      "web_search_20260318",
      "web_fetch_20250910",
      "code_execution_20250825",
      "tool_search_tool_regex_20251119",
      "mcp_toolset",
    ].map(
      (type) =>
        [
          "/v1/messages",
          { ...message, tools: [{ type }, add.messages] },
          "tools.0.type",
          type,
        ] as const,
    ),
    [
      "/v1/messages",
      { ...message, tools: [add.messages], mcp_servers: [{ type: "url", name: "x" }] },
      "mcp_servers",
      "mcp_servers",
    ],
    [
      "/v1/messages/count_tokens",
      { messages, tools: [search, add.messages] },
      "tools.0.type",
      "web_search_20250305",
    ],
  ];

describe("a hosted tool", () => {
  it.each(dialects)(
    "is left out of the prompt by default, with a warning: %s %j",
    async (...row) => {
      const [url, payload, , type] = row;
      const { status, offered, warnings } = await send(url, payload);
      expect(status).toBe(200);
      expect(offered).toEqual(["add"]);
      expect(warnings).toEqual([{ tools: [type], msg: WARNING }]);
    },
  );

  it.each(dialects)("is refused with --hosted-tools refuse: %s %j", async (...row) => {
    const [url, payload, field, type] = row;
    const { status, error, offered } = await send(url, payload, "refuse");
    expect(status).toBe(400);
    expect(error.message).toBe(
      `${field}: expected a tool that the client runs, got "${type}": ggufd does not run it; use a function or an MCP server on the client's side instead, or start ggufd with --hosted-tools leave-out.`,
    );
    expect(offered).toBeUndefined();
  });

  it.each([
    [
      "/v1/chat/completions",
      { messages, tools: [{ type: "web_search" }], tool_choice: "required" },
    ],
    ["/v1/responses", { input: "Hi", tools: [{ type: "web_search" }], tool_choice: "required" }],
    [
      "/v1/messages",
      { ...message, tools: [{ type: "web_search_20250305" }], tool_choice: { type: "any" } },
    ],
  ])("cannot be required: %s", async (url, payload) => {
    const { status, error } = await send(url, payload);
    expect(status).toBe(400);
    expect(error.message).toMatch(
      /^tools: expected tools that the model can call, got "web_search\w*", which does not run here\.$/,
    );
  });

  it("of Anthropic's with an input_schema runs on the client", async () => {
    const tools = [{ ...search, input_schema: {} }];
    const { status, offered, warnings } = await send("/v1/messages", { ...message, tools });
    expect([status, offered, warnings]).toEqual([200, ["web_search"], []]);
  });
});

it("a required call without any tool is refused alike in all dialects", async () => {
  const bodies = [
    ["/v1/chat/completions", { messages, tool_choice: "required" }],
    ["/v1/responses", { input: "Hi", tool_choice: "required" }],
    ["/v1/messages", { ...message, tool_choice: { type: "any" } }],
  ] as const;
  for (const [url, payload] of bodies) {
    expect((await send(url, payload)).error.message).toBe(
      "tools: expected at least one tool, because tool_choice requires a call, got none.",
    );
  }
});

it("errors of tools after a hosted tool name their fields", async () => {
  const format = { type: "grammar", grammar: { syntax: "regex", definition: "a" } };
  const custom = { type: "custom", custom: { name: "patch", format } };
  const tools = [{ type: "web_search" }, add.chat, custom];
  expect((await send("/v1/chat/completions", { messages, tools })).fields).toEqual([
    "tools.1.function.parameters",
    "tools.2.custom.format.grammar.definition",
  ]);
});
