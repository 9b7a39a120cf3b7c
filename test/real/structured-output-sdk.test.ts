import OpenAI from "openai";
import { LengthFinishReasonError } from "openai/core/error";
import { zodFunction, zodResponseFormat } from "openai/helpers/zod";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openEngine } from "../support/generate.js";
import { type RunningApp, runApp } from "../support/running-app.js";
import { shippedModel } from "../support/shipped-model.js";

let server: RunningApp;
let client: OpenAI;
beforeAll(async () => {
  const engine = await openEngine(shippedModel, {
    slots: 4,
    contextSize: 1024,
    speculation: "off",
  });
  server = await runApp(engine);
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
});
afterAll(() => server.close());

const Person = z.object({
  name: z.string().max(12),
  age: z.int().min(0).max(130),
  kind: z.enum(["guest", "host"]),
  nickname: z.string().max(8).nullable(),
  addresses: z.array(z.object({ city: z.string().max(12), isHome: z.boolean() })).max(2),
});

const List = z.object({
  value: z.int().min(0).max(9),
  get next(): z.ZodNullable<typeof List> {
    return List.nullable();
  },
});

const request = {
  model: "scripted",
  messages: [{ role: "user" as const, content: "Write JSON about Anna, who is 30, from Oslo." }],
  max_tokens: 300,
  temperature: 0,
};
const asPerson = { ...request, response_format: zodResponseFormat(Person, "person") };

describe("structured output in the openai package", () => {
  it.each([0, 1, 2])("is parsed and typed by zod, with seed %j", async (seed) => {
    const { choices } = await client.chat.completions.parse({ ...asPerson, temperature: 1, seed });
    const [choice] = choices;
    expect(choice?.finish_reason).toBe("stop");
    expect(choice?.message.parsed).toEqual(JSON.parse(choice?.message.content ?? ""));
    expect(["guest", "host"]).toContain(choice?.message.parsed?.kind);
  });

  it("can be recursive", async () => {
    const hot = { temperature: 2, top_k: 0, top_p: 1, min_p: 0 };
    const format = zodResponseFormat(List, "list");
    const completions = await Promise.all(
      [1, 2, 3, 4].map((seed) =>
        client.chat.completions.create({ ...request, ...hot, seed, response_format: format }),
      ),
    );
    const ended = completions.filter(({ choices }) => choices[0]?.finish_reason === "stop");
    expect(ended.length).toBeGreaterThan(0);
    for (const { choices } of ended) List.parse(JSON.parse(choices[0]?.message.content ?? ""));
  });

  it("is the same streamed as without streaming", async () => {
    const whole = await client.chat.completions.parse(asPerson);
    const stream = client.chat.completions.stream(asPerson);
    const snapshots: unknown[] = [];
    stream.on("content.delta", ({ parsed }) => snapshots.push(parsed));
    const assembled = await stream.finalChatCompletion();
    expect(assembled.choices[0]?.message.content).toBe(whole.choices[0]?.message.content);
    expect(assembled.choices[0]?.message.parsed).toEqual(whole.choices[0]?.message.parsed);
    expect(assembled.choices[0]?.finish_reason).toBe("stop");
    expect(snapshots.length).toBeGreaterThan(5);
    expect(snapshots.at(-1)).toEqual(assembled.choices[0]?.message.parsed);
  });

  it("can be tool arguments parsed by zod, with and without streaming", async () => {
    const tools = [zodFunction({ name: "invite", parameters: Person })];
    const choice = { type: "function" as const, function: { name: "invite" } };
    const invite = { ...request, tools, tool_choice: choice };
    const whole = await client.chat.completions.parse(invite);
    const [call] = whole.choices[0]?.message.tool_calls ?? [];
    expect(Person.parse(call?.function.parsed_arguments)).toEqual(
      JSON.parse(call?.function.arguments ?? ""),
    );
    const streamed = await client.chat.completions.stream(invite).finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls?.[0]?.function.parsed_arguments).toEqual(
      call?.function.parsed_arguments,
    );
  });

  it("that is truncated causes the SDK's length error", async () => {
    const cut = { ...asPerson, max_tokens: 5 };
    await expect(client.chat.completions.parse(cut)).rejects.toBeInstanceOf(
      LengthFinishReasonError,
    );
    await expect(client.chat.completions.stream(cut).finalChatCompletion()).rejects.toBeInstanceOf(
      LengthFinishReasonError,
    );
  });

  it("can be any JSON object", async () => {
    const { choices } = await client.chat.completions.create({
      ...request,
      response_format: { type: "json_object" },
      max_tokens: 200,
      temperature: 1,
      seed: 3,
    });
    expect(choices[0]?.message.content).toMatch(/^\{/);
    if (choices[0]?.finish_reason === "stop") {
      expect(JSON.parse(choices[0].message.content ?? "")).toBeTypeOf("object");
    }
  });

  it.each([false, true])(
    "with an unsupported schema fails with its path, streaming: %j",
    async (stream) => {
      const schema = { type: "object", properties: { a: { type: "array", uniqueItems: true } } };
      const attempt = client.chat.completions.create({
        ...request,
        stream,
        response_format: { type: "json_schema", json_schema: { name: "n", schema } },
      });
      await expect(attempt).rejects.toBeInstanceOf(OpenAI.BadRequestError);
      await expect(attempt).rejects.toMatchObject({
        status: 400,
        code: "invalid_request",
        type: "invalid_request_error",
        param: "response_format.json_schema.schema.properties.a.uniqueItems",
        message: expect.stringContaining("this keyword is not supported"),
      });
    },
  );
});
