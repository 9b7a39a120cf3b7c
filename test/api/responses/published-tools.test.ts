import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, streamText, type ToolSet } from "ai";
import type { ResponseInputItem, Tool } from "openai/resources/responses/responses";
import { describe, expect, it, test } from "vitest";
import { ResponsePrinter } from "../../../src/api/responses/answer.js";
import { createResponse } from "../../../src/api/responses/create-response.js";
import { toItems } from "../../../src/api/responses/input-items.js";
import { PUBLISHED_TYPES, type PublishedType } from "../../../src/api/responses/published-tools.js";
import { type ResponseRequest, responseRequest } from "../../../src/api/responses/schema.js";
import { listHostedTools, listOfferedTools } from "../../../src/api/responses/tools.js";
import { toGenerationRequest } from "../../../src/api/responses/translate.js";
import type { GenerationRequest } from "../../../src/core/generation-request.js";
import { openAIClient } from "../../support/openai-client.js";
import { refusal } from "../../support/refusal.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { serve } from "../../support/serve.js";
import { ALIAS, buildTestApp } from "../../support/test-app.js";
import { textIn } from "../../support/text-in.js";

const allTools = PUBLISHED_TYPES.map((type) => ({ type }));

describe("a published tool", () => {
  it("is offered under its type, with a strict schema of the call's members", () => {
    const offered = listOfferedTools(allTools);
    expect(offered.map(({ kind, name }) => [kind, name])).toEqual(
      PUBLISHED_TYPES.map((type) => [type, type]),
    );
    const schemas = offered.map(({ definition }) => ({
      ...{ name: definition.name, strict: definition.strict, field: definition.parametersField },
      names: Object.keys(definition.parameters?.properties ?? {}),
      required: definition.parameters?.required,
    }));
    expect(schemas).toEqual([
      {
        ...{ name: "local_shell", strict: true, field: "tools.0.type" },
        names: ["command", "env", "timeout_ms", "working_directory", "user"],
        required: ["command"],
      },
      {
        ...{ name: "shell", strict: true, field: "tools.1.type" },
        names: ["commands", "timeout_ms", "max_output_length"],
        required: ["commands"],
      },
      {
        ...{ name: "apply_patch", strict: true, field: "tools.2.type" },
        names: ["type", "path", "diff"],
        required: ["type", "path", "diff"],
      },
    ]);
  });

  it("lists the skills of a shell's environment for the model", () => {
    const skills = [{ name: "pdf", description: "Reads PDF files.", path: "/skills/pdf" }];
    const describe = (environment: object) => {
      const { tools } = responseRequest.parse({ tools: [{ type: "shell", environment }] });
      return listOfferedTools(tools)[0]?.definition.description;
    };
    expect(describe({ type: "local", skills })).toContain("- /skills/pdf (pdf): Reads PDF files.");
    expect(describe({ type: "local", skills: [] })).not.toContain("SKILL.md");
  });

  it("is a hosted tool if it is a shell with a container", () => {
    const environments = [undefined, null, { type: "local" }, { type: "container_auto" }];
    const parsed = environments.map((environment) => ({ type: "shell", environment }));
    const { tools } = responseRequest.parse({ tools: parsed });
    expect(listOfferedTools(tools?.slice(0, 1))).toHaveLength(1);
    expect(listHostedTools(tools)).toEqual([
      { field: "tools.3.environment.type", type: "shell in a container" },
    ]);
    expect(listOfferedTools(tools?.slice(3))).toEqual([]);
  });

  it("must have a name that no function has", () => {
    const tools: ResponseRequest["tools"] = [
      { type: "shell" },
      { type: "function", name: "shell" },
    ];
    expect(refusal(() => listOfferedTools(tools))).toMatchObject({ param: "tools" });
  });
});

function translate(body: object) {
  const parsed = responseRequest.parse({ input: "Hi", tools: allTools, ...body });
  const input = toItems(parsed.input ?? [], () => undefined, "input");
  const conversation = { earlier: [], input };
  return toGenerationRequest(parsed, conversation, listOfferedTools(parsed.tools), "id");
}

describe("the choice of a published tool", () => {
  const allowed = (mode: string, ...types: string[]) => ({
    ...{ type: "allowed_tools", mode },
    tools: types.map((type) => ({ type })),
  });

  test.each<[object, object]>([
    [{ type: "shell" }, { demand: "required", callable: ["shell"], calls: "one" }],
    [{ type: "apply_patch" }, { demand: "required", callable: ["apply_patch"], calls: "one" }],
    [
      { type: "function", name: "shell" },
      { demand: "required", callable: ["shell"], calls: "one" },
    ],
    [
      allowed("required", "local_shell", "web_search"),
      { demand: "required", callable: ["local_shell"] },
    ],
    [
      allowed("auto", "shell", "apply_patch"),
      { demand: "optional", callable: ["shell", "apply_patch"] },
    ],
  ])("limits the calls: %j", (tool_choice, toolUse) => {
    expect(translate({ tool_choice }).toolUse).toEqual(toolUse);
  });

  test.each<[object, string]>([
    [{ type: "shell" }, "tool_choice.type"],
    [allowed("auto", "shell"), "tool_choice.tools.0.type"],
  ])("must be among the tools: %j", (tool_choice, param) => {
    const tools = [{ type: "shell", environment: { type: "container_auto" } }];
    expect(refusal(() => translate({ tools, tool_choice }))).toMatchObject({ param });
  });
});

describe("the printed call of a published tool", () => {
  const usage = { promptTokens: 1, cachedTokens: 0, completionTokens: 1, reasoningTokens: 0 };

  function print(type: PublishedType, json: string) {
    const response = createResponse(
      { input: "Hi", tools: allTools },
      {
        ...{ id: "resp_1", createdAt: 1, model: "m" },
      },
    );
    const printer = new ResponsePrinter(response, {
      reasoning: { as: "content", opaque: "absent" },
      tools: listOfferedTools(allTools),
      now: () => 2,
    });
    const call = { index: 0, usage };
    const events = [
      ...printer.print({ type: "tool-call-begin", id: "call_1", name: type, ...call }),
      ...[json.slice(0, 5), json.slice(5)].flatMap((text) =>
        printer.print({ type: "tool-call-arguments", text, ...call }),
      ),
    ];
    return { begun: events.slice(2), ended: printer.print({ type: "cancelled" }) };
  }

  it("begins with an empty action and ends with the complete one", () => {
    const { begun, ended } = print("shell", '{"commands":["ls"]}');
    expect(begun).toMatchObject([
      {
        type: "response.output_item.added",
        item: { type: "shell_call", action: { commands: [] }, status: "in_progress" },
      },
    ]);
    expect(ended).toMatchObject([
      {
        type: "response.output_item.done",
        item: { action: { commands: ["ls"] }, environment: { type: "local" } },
      },
    ]);
  });

  it("begins when it is complete if it is a patch", () => {
    const operation = { type: "delete_file", path: "a.txt" };
    const { begun, ended } = print("apply_patch", JSON.stringify(operation));
    expect(begun).toEqual([]);
    expect(ended).toMatchObject([
      { type: "response.output_item.added", item: { operation, status: "in_progress" } },
      { type: "response.output_item.done", item: { operation } },
    ]);
  });
});

/** Calls each published tool, in the order of its results, then repeats the last result. */
function script({ prompt }: GenerationRequest): Script {
  const messages = prompt.type === "chat" ? prompt.messages : [];
  const results = messages.filter(({ role }) => role === "tool");
  const next = [
    { name: "local_shell", written: { command: ["ls"], timeout_ms: 100 } },
    { name: "shell", written: { commands: ["ls", "pwd"] } },
    { name: "apply_patch", written: { type: "create_file", path: "b", diff: "+1\n" } },
  ][results.length];
  if (next === undefined) return { parts: [`It is ${textIn(results.at(-1)?.content ?? "")}.`] };
  const json = JSON.stringify(next.written);
  const call = {
    ...{ id: `call_${results.length}`, name: next.name },
    arguments: [json.slice(0, 9), json.slice(9)],
  };
  return { parts: [{ call }], ending: "tool-calls" };
}

describe("responses over HTTP", () => {
  it("repeat the tools and the choice, without hosted ones", async () => {
    const { app } = buildTestApp(new ScriptedEngine(script, { contextSize: 1000 }));
    const shell = (environment?: object) => ({ type: "shell", environment });
    const skill = { name: "pdf", description: "Reads PDF files.", path: "/skills/pdf" };
    const payload = {
      input: "Hi",
      tools: [
        ...[{ type: "local_shell" }, shell({ type: "local", skills: [{ ...skill, x: 1 }] })],
        ...[shell({ type: "container_auto" }), { type: "apply_patch" }],
      ],
      tool_choice: {
        ...{ type: "allowed_tools", mode: "auto" },
        tools: [{ type: "shell" }, { type: "web_search" }],
      },
    };
    const response = await app.inject({ method: "POST", url: "/v1/responses", payload });
    expect(response.json()).toMatchObject({
      tools: [
        { type: "local_shell" },
        { type: "shell", environment: { type: "local", skills: [skill] } },
        { type: "apply_patch" },
      ],
      tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "shell" }] },
    });
  });

  it("are incomplete, with an empty action, if the token limit cuts off a call", async () => {
    const call = { id: "call_1", name: "shell", arguments: ['{"commands":["l'] };
    const engine = new ScriptedEngine(() => ({ parts: [{ call }], ending: "length" }));
    const { app } = buildTestApp(engine);
    const payload = { input: "Hi", tools: allTools };
    const response = await app.inject({ method: "POST", url: "/v1/responses", payload });
    expect(response.json()).toMatchObject({
      status: "incomplete",
      output: [{ type: "shell_call", status: "incomplete", action: { commands: [] } }],
    });
  });
});

describe("the OpenAI SDK's published tools", async () => {
  const engine = new ScriptedEngine(script, { contextSize: 1000 });
  const client = openAIClient(await serve(engine));
  const tools: Tool[] = [{ type: "local_shell" }, { type: "shell" }, { type: "apply_patch" }];
  const request = { model: ALIAS, tools };
  const outputs: ResponseInputItem[] = [
    { type: "local_shell_call_output", id: "call_0", output: "a.txt" },
    {
      type: "shell_call_output",
      call_id: "call_1",
      output: [{ stdout: "b.txt", stderr: "", outcome: { type: "exit" as const, exit_code: 0 } }],
    },
    { type: "apply_patch_call_output", call_id: "call_2", status: "completed", output: "Done" },
  ];
  const called = [
    { type: "local_shell_call", call_id: "call_0", action: { command: ["ls"], timeout_ms: 100 } },
    { type: "shell_call", call_id: "call_1", action: { commands: ["ls", "pwd"] } },
    {
      ...{ type: "apply_patch_call", call_id: "call_2" },
      operation: { type: "create_file", path: "b", diff: "+1\n" },
    },
  ];

  it("are called and answered by previous_response_id", async () => {
    let response = await client.responses.create({ ...request, input: "Look" });
    for (const [index, output] of outputs.entries()) {
      expect(response.output).toMatchObject([called[index] ?? {}]);
      const previous_response_id = response.id;
      response = await client.responses.create({
        ...request,
        previous_response_id,
        input: [output],
      });
    }
    expect(response.output_text).toBe("It is completed: Done.");
    const { data } = await client.responses.inputItems.list(response.id, { order: "asc" });
    expect(data.map(({ type }) => type)).toEqual([
      "message",
      ...PUBLISHED_TYPES.flatMap((type) => [`${type}_call`, `${type}_call_output`]),
    ]);
  });

  it("are streamed, and read from the items that a client sends back", async () => {
    const input: ResponseInputItem[] = [{ role: "user", content: "Look" }];
    for (const [index, output] of outputs.entries()) {
      const final = await client.responses.stream({ ...request, input }).finalResponse();
      expect(final.output).toMatchObject([called[index] ?? {}]);
      input.push(...(final.output as ResponseInputItem[]), output);
    }
    const { output_text } = await client.responses.create({ ...request, input });
    expect(output_text).toBe("It is completed: Done.");
  });

  it("are kept in a conversation", async () => {
    const { id } = await client.conversations.create({});
    const asked = { ...request, conversation: id };
    await client.responses.create({ ...asked, input: "Look" });
    await client.responses.create({ ...asked, input: outputs.slice(0, 1) });
    const { data } = await client.conversations.items.list(id, { order: "asc" });
    expect(data).toMatchObject([
      { type: "message" },
      called[0],
      { type: "local_shell_call_output", output: "a.txt" },
      called[1],
    ]);
  });
});

describe("the AI SDK's published tools", async () => {
  const engine = new ScriptedEngine(script, { contextSize: 1000 });
  const { url } = await serve(engine);
  const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" });
  const ran: unknown[] = [];
  const exit = { type: "exit" as const, exitCode: 0 };
  const request = {
    model: openai.responses(ALIAS),
    prompt: "Look",
    stopWhen: stepCountIs(5),
    maxRetries: 0,
    tools: {
      local_shell: openai.tools.localShell({
        execute: async ({ action }) => {
          ran.push(action.command);
          return { output: "a.txt" };
        },
      }),
      shell: openai.tools.shell({
        execute: async ({ action }) => {
          ran.push(action.commands);
          return { output: [{ stdout: "b.txt", stderr: "", outcome: exit }] };
        },
      }),
      apply_patch: openai.tools.applyPatch({
        execute: async ({ operation }) => {
          ran.push(operation);
          return { status: "completed" as const, output: "Done" };
        },
      }),
    } as ToolSet,
  };
  const runs = [["ls"], ["ls", "pwd"], { type: "create_file", path: "b", diff: "+1\n" }];

  it.each([true, false])("are run over several steps, store: %j", async (store) => {
    ran.length = 0;
    const { text } = await generateText({ ...request, providerOptions: { openai: { store } } });
    expect(ran).toEqual(runs);
    expect(text).toBe("It is completed: Done.");
  });

  it("are run when they are streamed", async () => {
    ran.length = 0;
    const result = streamText(request);
    await result.consumeStream();
    expect(ran).toEqual(runs);
    expect((await result.steps).at(-1)?.text).toBe("It is completed: Done.");
  });
});
