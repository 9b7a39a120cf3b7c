import OpenAI from "openai";
import { zodResponsesFunction, zodTextFormat } from "openai/helpers/zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openEngine } from "../support/generate.js";
import { type RunningApp, runApp } from "../support/running-app.js";
import { shippedModel } from "../support/shipped-model.js";

let server: RunningApp;
let client: OpenAI;
beforeAll(async () => {
  server = await runApp(await openEngine(shippedModel, { slots: 2, contextSize: 2048 }));
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
});
afterAll(() => server.close());

const ask = (input: string) => ({
  model: "scripted",
  input,
  temperature: 0,
  max_output_tokens: 100,
});

describe("the shipped model in the Responses API of the openai package", () => {
  it("gives the same answer with and without streaming, and in chat completions", async () => {
    const question = "Hello! Who are you?";
    const whole = await client.responses.create(ask(question));
    const streamed = await client.responses.stream(ask(question)).finalResponse();
    const chat = await client.chat.completions.create({
      model: "scripted",
      messages: [{ role: "user", content: question }],
      temperature: 0,
      max_tokens: 100,
    });
    expect(whole.output_text).not.toBe("");
    expect(streamed.output_text).toBe(whole.output_text);
    expect(chat.choices[0]?.message.content).toBe(whole.output_text);
    expect(whole.usage?.input_tokens).toBe(chat.usage?.prompt_tokens);
  });

  it("continues a response from its cached tokens", async () => {
    const first = await client.responses.create(ask("What is the capital of France?"));
    const second = await client.responses.create({
      ...ask("And of Norway?"),
      previous_response_id: first.id,
    });
    const evaluated = first.usage?.total_tokens ?? Number.POSITIVE_INFINITY;
    expect(second.usage?.input_tokens).toBeGreaterThan(evaluated - 2);
    expect(second.usage?.input_tokens_details.cached_tokens).toBeGreaterThan(evaluated / 2);
  });

  it("answers with one schema, and calls a tool with another", async () => {
    const Person = z.object({ name: z.string().max(12), age: z.int().min(0).max(130) });
    const { output_parsed } = await client.responses.parse({
      ...ask("Write JSON about Anna, who is 30."),
      text: { format: zodTextFormat(Person, "person") },
    });
    expect(Person.safeParse(output_parsed).success).toBe(true);
    const parameters = z.object({ city: z.string().max(20) });
    const { output } = await client.responses.parse({
      ...ask("What is the weather in Oslo?"),
      tools: [zodResponsesFunction({ name: "get_weather", parameters })],
      tool_choice: "required",
    });
    const call = output.find(({ type }) => type === "function_call");
    expect(call).toMatchObject({ name: "get_weather", parsed_arguments: expect.anything() });
  });

  it("calls a custom tool with input that satisfies its grammar, and reports the position of a grammar error", async () => {
    const withGrammar = (definition: string) => ({
      ...ask("Select the names of the users."),
      tools: [
        {
          type: "custom" as const,
          name: "query",
          description: "Runs a query.",
          format: { type: "grammar" as const, syntax: "lark" as const, definition },
        },
      ],
      tool_choice: { type: "custom" as const, name: "query" },
    });
    const { output } = await client.responses.create(
      withGrammar(
        'start: "SELECT " names " FROM " NAME (" WHERE " condition)?\n' +
          'names: NAME (", " NAME)~0..2\n' +
          'condition: NAME " = " (/[0-9]{1,3}/ | "(" condition ")")\n' +
          "NAME: /[a-z]{1,8}/",
      ),
    );
    const [call] = output;
    expect(call).toMatchObject({ type: "custom_tool_call", name: "query" });
    expect(call?.type === "custom_tool_call" && call.input).toMatch(
      /^SELECT [a-z]{1,8}(, [a-z]{1,8}){0,2} FROM [a-z]{1,8}( WHERE [a-z]{1,8} = \S.*)?$/,
    );
    await expect(
      client.responses.create(withGrammar('start: "SELECT" names')),
    ).rejects.toMatchObject({
      status: 400,
      param: "tools.0.format.definition",
      message: expect.stringContaining("line 1, column 17: rule names is not defined"),
    });
  });

  it("returns incomplete responses, and runs in the background", async () => {
    const cut = await client.responses.create({ ...ask("Count to 100."), max_output_tokens: 3 });
    expect(cut).toMatchObject({ status: "incomplete", usage: { output_tokens: 3 } });
    const stream = await client.responses.create({
      ...ask("Hello! Who are you?"),
      background: true,
      stream: true,
    });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(types[1]).toBe("response.queued");
    expect(types.at(-1)).toBe("response.completed");
  });
});
