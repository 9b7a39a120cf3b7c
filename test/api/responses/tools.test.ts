import type { ResponseStreamEvent, Tool } from "openai/resources/responses/responses";
import { describe, expect, it, test } from "vitest";
import { ResponsePrinter } from "../../../src/api/responses/answer.js";
import { createResponse } from "../../../src/api/responses/create-response.js";
import type { ResponseTool } from "../../../src/api/responses/tools.js";
import { listOfferedTools, toOfferedName } from "../../../src/api/responses/tools.js";
import type { GenerationRequest } from "../../../src/core/generation-request.js";
import { openAIClient } from "../../support/openai-client.js";
import { refusal } from "../../support/refusal.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { serve } from "../../support/serve.js";
import { ALIAS } from "../../support/test-app.js";

const echo = { type: "function", name: "echo", parameters: { type: "object" } } as const;
const patch = { type: "custom", name: "patch", description: "Takes a patch." } as const;
const namespace = (name: string, ...tools: (typeof echo | typeof patch)[]) => ({
  type: "namespace" as const,
  name,
  description: `Tools of ${name}.`,
  tools,
});

describe("offeredName", () => {
  test.each([
    [{ name: "echo" }, "echo"],
    [{ name: "echo", namespace: "crm" }, "crm__echo"],
    [{ name: "echo", namespace: "mcp__files__" }, "mcp__files__echo"],
  ])("of %j is %s", (tool, expected) => {
    expect(toOfferedName(tool)).toBe(expected);
  });
});

describe("offeredTools", () => {
  it("includes functions, custom tools and tools in namespaces, but not hosted tools", () => {
    const tools: ResponseTool[] = [
      { type: "web_search" },
      echo,
      namespace("crm", echo, patch),
      { type: "image_generation" },
    ];
    expect(listOfferedTools(tools).map(({ kind, definition }) => [kind, definition.name])).toEqual([
      ["function", "echo"],
      ["function", "crm__echo"],
      ["custom", "crm__patch"],
    ]);
  });

  it("returns the path of a tool's parameters, for errors", () => {
    const [, inner] = listOfferedTools([{ type: "mcp" }, echo, namespace("crm", echo)]);
    expect(inner?.definition.parametersField).toBe("tools.2.tools.0.parameters");
  });

  it("describes a custom tool with one string argument, constrained by its grammar", () => {
    const format = { type: "grammar", syntax: "regex", definition: "a|b" } as const;
    const [tool] = listOfferedTools([{ ...patch, format }]);
    expect(tool?.definition).toMatchObject({
      strict: true,
      parameters: {
        properties: { input: { type: "string", pattern: "^(?:a|b)$" } },
        required: ["input"],
        additionalProperties: false,
      },
    });
  });

  it("rejects tools whose names collide", () => {
    const tools: ResponseTool[] = [{ ...echo, name: "crm__echo" }, namespace("crm", echo)];
    expect(refusal(() => listOfferedTools(tools))).toMatchObject({ param: "tools" });
  });
});

describe("the input of a custom tool, for any chunk boundaries,", () => {
  const usage = { promptTokens: 1, cachedTokens: 0, completionTokens: 1, reasoningTokens: 0 };
  const inputs = [
    "",
    "plain",
    'a "quote" \\ and\n lines',
    "\u{1f600} and \u0000 \u00e9",
    "*** End",
  ];
  const written = inputs.flatMap((input) => [
    [input, JSON.stringify({ input })] as const,
    [input, ` { "input" : ${JSON.stringify(input)} } `] as const,
    [
      input,
      `{"input":"${[...input.split("")].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"}`,
    ] as const,
  ]);

  test.each(written)("is %j for %s", (input, args) => {
    for (let size = 1; size <= 7; size++) {
      const body = { input: "Hi", tools: [patch] };
      const response = createResponse(body, { id: "resp_1", createdAt: 1, model: "m" });
      const printer = new ResponsePrinter(response, {
        reasoning: { as: "content", opaque: "absent" },
        tools: listOfferedTools([patch]),
        now: () => 2,
      });
      const events = [
        ...printer.print({ type: "tool-call-begin", index: 0, id: "call_1", name: "patch", usage }),
        ...(args.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? []).flatMap((text) =>
          printer.print({ type: "tool-call-arguments", index: 0, text, usage }),
        ),
        ...printer.print({ type: "cancelled" }),
      ];
      const deltas = events.flatMap((event) =>
        event.type === "response.custom_tool_call_input.delta" ? [event.delta] : [],
      );
      expect(deltas.join("")).toBe(input);
      expect(deltas.every((delta) => delta.isWellFormed?.() ?? true)).toBe(true);
      expect(printer.response.output).toMatchObject([{ type: "custom_tool_call", input }]);
    }
  });
});

describe("the OpenAI SDK's custom tools and tools in namespaces", async () => {
  const engine = new ScriptedEngine(script, { slots: 4, contextSize: 1000 });
  const client = openAIClient(await serve(engine));

  function script({ prompt }: GenerationRequest): Script {
    const last = prompt.type === "chat" ? prompt.messages.at(-1) : undefined;
    if (last?.role === "tool") return { parts: [`${last.name} said ${last.content}`] };
    const call =
      last?.content === "patch"
        ? { id: "call_2", name: "patch", arguments: ['{"inp', 'ut":"*** Be', 'gin"}'] }
        : { id: "call_1", name: "mcp__files__echo", arguments: ['{"a"', ":1}"] };
    return { parts: [{ call }], ending: "tool-calls" };
  }

  const tools: Tool[] = [
    { type: "web_search" },
    { type: "namespace", name: "mcp__files__", description: "Files.", tools: [{ ...echo }] },
    { ...patch },
  ];

  it("are called and answered under the names that the client defined", async () => {
    const asked = await client.responses.create({ model: ALIAS, input: "echo", tools });
    const [call] = asked.output;
    expect(call).toMatchObject({
      type: "function_call",
      name: "echo",
      namespace: "mcp__files__",
      arguments: '{"a":1}',
    });
    expect(asked.tools.map(({ type }) => type)).toEqual(["namespace", "custom"]);
    const answered = await client.responses.create({
      model: ALIAS,
      tools,
      previous_response_id: asked.id,
      input: [{ type: "function_call_output", call_id: "call_1", output: "7" }],
    });
    expect(answered.output_text).toBe("mcp__files__echo said 7");
  });

  it("stream a custom tool's input and receive its result", async () => {
    const events: ResponseStreamEvent[] = [];
    const stream = await client.responses.create({
      model: ALIAS,
      input: "patch",
      tools,
      stream: true,
    });
    for await (const event of stream) events.push(event);
    const deltas = events.flatMap((event) =>
      event.type === "response.custom_tool_call_input.delta" ? [event.delta] : [],
    );
    expect(deltas).toEqual(["*** Be", "gin"]);
    expect(events.at(-1)).toMatchObject({
      type: "response.completed",
      response: { output: [{ type: "custom_tool_call", name: "patch", input: "*** Begin" }] },
    });
    const answered = await client.responses.create({
      model: ALIAS,
      tools,
      input: [
        { type: "custom_tool_call", call_id: "c", name: "patch", input: "*** Begin" },
        { type: "custom_tool_call_output", call_id: "c", output: "Done." },
      ],
    });
    expect(answered.output_text).toBe("patch said Done.");
    const prompt = engine.requests.at(-1)?.prompt;
    expect(prompt?.type === "chat" && prompt.messages[0]).toMatchObject({
      toolCalls: [{ name: "patch", arguments: '{"input":"*** Begin"}' }],
    });
  });

  it("can be required by name and namespace", async () => {
    const choice = { type: "function", name: "echo", namespace: "mcp__files__" } as const;
    await client.responses.create({ model: ALIAS, input: "Hi", tools, tool_choice: choice });
    expect(engine.requests.at(-1)?.toolUse).toEqual({
      demand: "required",
      callable: ["mcp__files__echo"],
      calls: "one",
    });
    const custom = { type: "custom", name: "patch" } as const;
    await client.responses.create({ model: ALIAS, input: "Hi", tools, tool_choice: custom });
    expect(engine.requests.at(-1)?.toolUse).toMatchObject({ callable: ["patch"] });
  });
});
