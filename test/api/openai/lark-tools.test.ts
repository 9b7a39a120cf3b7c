import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import type { GenerationRequest } from "../../../src/core/generation-request.js";
import { buildAnswerGrammar } from "../../../src/engine/text/output/grammars/answer-grammar.js";
import { APPLY_PATCH, PATCH } from "../../support/apply-patch.js";
import { openAIClient } from "../../support/openai-client.js";
import { plainReading } from "../../support/plain-reading.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { serve } from "../../support/serve.js";
import { ALIAS } from "../../support/test-app.js";

/** Compiles the grammar of an answer, like an engine with a model. */
class HoldingEngine extends ScriptedEngine {
  override async prepare(request: GenerationRequest) {
    if (request.prompt.type === "chat") {
      const { prompt, stopping, toolUse } = request;
      buildAnswerGrammar({ prompt, stopping, toolUse }, plainReading, () => false);
    }
    return super.prepare(request);
  }
}

const tool = (definition: string) => ({
  type: "custom" as const,
  name: "apply_patch",
  description: "Edits files.",
  format: { type: "grammar" as const, syntax: "lark" as const, definition },
});

describe("the OpenAI SDK's custom tools with a Lark grammar", async () => {
  const written = JSON.stringify({ input: PATCH });
  const call = {
    id: "call_1",
    name: "apply_patch",
    arguments: written.match(/[\s\S]{1,9}/gu) ?? [],
  };
  const engine = new HoldingEngine(() => ({ parts: [{ call }], ending: "tool-calls" }), {
    slots: 4,
    contextSize: 10_000,
  });
  const client = openAIClient(await serve(engine));

  const request = { model: ALIAS, input: "Edit a.ts.", tools: [tool(APPLY_PATCH)] };

  it("pass the grammar to the engine, and to the model in the tool's description", async () => {
    await client.responses.create(request);
    const [definition] = engine.requests.at(-1)?.prompt.tools ?? [];
    expect(definition).toEqual({
      name: "apply_patch",
      description: "Edits files.",
      parameters: {
        type: "object",
        properties: {
          input: {
            type: "string",
            description: `A text of this grammar in Lark's notation:\n${APPLY_PATCH}`,
          },
        },
        required: ["input"],
        additionalProperties: false,
      },
      parametersField: "tools.0.format.definition",
      strict: true,
      larkParameter: { name: "input", grammar: APPLY_PATCH },
    });
  });

  it("are echoed in the response, along with the call's input", async () => {
    const response = await client.responses.create(request);
    expect(response.tools).toEqual([tool(APPLY_PATCH)]);
    expect(response.output).toMatchObject([
      { type: "custom_tool_call", name: "apply_patch", input: PATCH },
    ]);
  });

  it("stream the call's input", async () => {
    const events: ResponseStreamEvent[] = [];
    for await (const event of await client.responses.create({ ...request, stream: true })) {
      events.push(event);
    }
    const deltas = events.flatMap((event) =>
      event.type === "response.custom_tool_call_input.delta" ? [event.delta] : [],
    );
    expect(deltas.join("")).toBe(PATCH);
  });

  it("are accepted in a namespace", async () => {
    const namespace = {
      type: "namespace" as const,
      name: "files",
      description: "Files.",
      tools: [tool(APPLY_PATCH)],
    };
    await client.responses.create({ ...request, tools: [namespace] });
    expect(engine.requests.at(-1)?.prompt.tools[0]).toMatchObject({
      name: "files__apply_patch",
      parametersField: "tools.0.tools.0.format.definition",
      larkParameter: { grammar: APPLY_PATCH },
    });
  });

  it.each([
    ["an unknown rule", "start: line+", "line 1, column 8: rule line is not defined"],
    [
      "left recursion",
      'start: start "a" | "b"',
      "line 1, column 1: rule start: expected a character before the recursion, got left recursion: start → start",
    ],
    [
      "a rule that matches no text",
      'start: "a" start',
      "line 1, column 1: rule start: expected a rule that matches some text",
    ],
    [
      "too many nested groups",
      `start: ${"(".repeat(100_000)}`,
      "line 1, column 208: expected at most 200 nested groups",
    ],
  ])("are rejected with the position of the error: %s", async (_, definition, reason) => {
    const error = await client.responses
      .create({ ...request, tools: [{ type: "web_search" }, tool(definition)] })
      .catch((refused: unknown) => refused);
    expect(error).toMatchObject({
      status: 400,
      code: "invalid_request",
      param: "tools.1.format.definition",
      message: expect.stringContaining(reason),
    });
  });

  it("are constrained in chat completions as well", async () => {
    const { name, description, format } = tool(APPLY_PATCH);
    const { type, ...grammar } = format;
    const completion = await client.chat.completions.create({
      model: ALIAS,
      messages: [{ role: "user", content: "Edit a.ts." }],
      tools: [{ type: "custom", custom: { name, description, format: { type, grammar } } }],
    });
    expect(completion.choices[0]?.message.tool_calls).toMatchObject([
      { type: "custom", custom: { name, input: PATCH } },
    ]);
    expect(engine.requests.at(-1)?.prompt.tools[0]).toMatchObject({
      parametersField: "tools.0.custom.format.grammar.definition",
      larkParameter: { grammar: APPLY_PATCH },
    });
  });
});
