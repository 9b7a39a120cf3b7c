import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { ScriptedEngine, type ScriptedPart } from "../support/scripted-engine.js";
import { buildTestApp } from "../support/test-app.js";

const MESSAGE = "the model called a tool that the request did not offer";

const call = (name: string): ScriptedPart => ({
  call: { id: `call_${name.length}`, name, arguments: '{"input":"a"}' },
});

/** Sends a request to a server that answers with the given parts. */
async function answer(url: string, payload: object, ...parts: readonly ScriptedPart[]) {
  const lines: string[] = [];
  const logger = pino({ level: "warn" }, { write: (line) => lines.push(line) });
  const engine = new ScriptedEngine(() => ({ parts, ending: "tool-calls" }));
  const { app, scheduler } = buildTestApp(engine, { logger });
  const response = await app.inject({ method: "POST", url, payload });
  expect(response.statusCode, response.body).toBe(200);
  await scheduler.whenIdle();
  const requestId = response.headers["x-request-id"];
  const warnings = lines
    .map((line) => JSON.parse(line))
    .map(({ level, request_id, tool, msg }) => ({ level, request_id, tool, msg }));
  return { warnings, requestId, body: response.body };
}

const schema = { type: "object", properties: {} };
const messages = [{ role: "user", content: "Hi" }];
const functionTool = { type: "function", function: { name: "add", parameters: schema } };

/** Requests that offer one tool. */
const dialects: readonly (readonly [url: string, payload: object, offered: string])[] = [
  ["/v1/chat/completions", { messages, tools: [functionTool], stream: false }, "add"],
  ["/v1/chat/completions", { messages, tools: [functionTool], stream: true }, "add"],
  ["/v1/chat/completions", { messages, functions: [{ name: "add" }] }, "add"],
  [
    "/v1/chat/completions",
    { messages, tools: [{ type: "custom", custom: { name: "patch" } }] },
    "patch",
  ],
  ["/v1/responses", { input: "Hi", tools: [{ type: "function", name: "add" }] }, "add"],
  [
    "/v1/responses",
    {
      input: "Hi",
      tools: [{ type: "namespace", name: "crm", tools: [{ type: "function", name: "add" }] }],
      stream: true,
    },
    "crm__add",
  ],
  [
    "/v1/responses",
    { input: "Hi", tools: [{ type: "function", name: "add" }], background: true },
    "add",
  ],
  [
    "/v1/messages",
    { messages, max_tokens: 10, tools: [{ name: "add", input_schema: schema }] },
    "add",
  ],
  ["/api/chat", { messages, tools: [functionTool], stream: false }, "add"],
  ["/api/chat", { messages, tools: [functionTool] }, "add"],
];

describe("a call of a tool that was not in the request", () => {
  it.each(dialects)(
    "is returned and logged once with the request's id: %s %j",
    async (url, payload, offered) => {
      const parts = [call(offered), call("sub"), call("mul")];
      const { warnings, requestId, body } = await answer(url, payload, ...parts);
      expect(warnings).toEqual([{ level: 40, request_id: requestId, tool: "sub", msg: MESSAGE }]);
      const isInBackground = "background" in payload;
      if (!isInBackground && !("functions" in payload)) expect(body).toContain('"sub"');
    },
  );

  it.each(dialects)(
    "is the only kind of call that is logged: %s %j",
    async (url, payload, offered) => {
      const { warnings } = await answer(url, payload, "Hi.", call(offered));
      expect(warnings).toEqual([]);
    },
  );

  it("is logged once for all choices, with a truncated name", async () => {
    const payload = { messages, tools: [functionTool], n: 3 };
    const { warnings } = await answer("/v1/chat/completions", payload, call("x".repeat(100_000)));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.tool).toBe(`${"x".repeat(200)}…`);
  });
});
