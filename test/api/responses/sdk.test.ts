import OpenAI from "openai";
import { zodResponsesFunction, zodTextFormat } from "openai/helpers/zod";
import type { Response, ResponseStreamEvent } from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { GgufdError } from "../../../src/core/errors.js";
import type { GenerationRequest } from "../../../src/core/generation-request.js";
import { openAIClient } from "../../support/openai-client.js";
import { deferred, type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { serve } from "../../support/serve.js";
import { ALIAS } from "../../support/test-app.js";

const weather = { id: "call_1", name: "weather", arguments: ['{"ci', 'ty":"Oslo"}'] };
const overloaded = new GgufdError("server_overloaded", "The engine has gone.", {
  retryAfterSeconds: 1,
});

/** Selects the answer by the last message. */
function script({ prompt }: GenerationRequest): Script {
  if (prompt.type !== "chat") throw new Error("expected a chat");
  const last = prompt.messages.at(-1);
  if (last?.role === "tool") return { parts: ["It ", "snows."] };
  switch (last?.content) {
    case "weather?":
      return { parts: [{ reasoning: "Ask." }, "Wait.", { call: weather }], ending: "tool-calls" };
    case "number?":
      return { parts: ['{"n":', "7}"] };
    case "cut":
      return { parts: ["One two"], ending: "length" };
    case "break":
      return { parts: ["One"], ending: overloaded };
    case "fail":
      return { parts: [], ending: overloaded };
    case "never":
      return { parts: ["One"], ending: "never" };
    case "gated":
      return {
        parts: ["One", " two"],
        before: (index) => (index === 1 ? gate.promise : undefined),
      };
    default:
      return { parts: ["Hel", "lo."] };
  }
}

let gate = deferred();
const engine = new ScriptedEngine(script, { slots: 8, contextSize: 1000 });
const client = openAIClient(await serve(engine));

const model = ALIAS;
const tools: OpenAI.Responses.FunctionTool[] = [
  {
    type: "function",
    name: "weather",
    parameters: { type: "object", properties: { city: { type: "string" } } },
    strict: false,
  },
];

describe("the OpenAI SDK's responses", () => {
  it("are created and retrieved", async () => {
    const created = await client.responses.create({ model, input: "Hi", metadata: { a: "b" } });
    expect(created).toMatchObject({
      object: "response",
      status: "completed",
      output_text: "Hello.",
      metadata: { a: "b" },
      usage: { input_tokens: 2, output_tokens: 2, total_tokens: 4 },
    });
    expect(await client.responses.retrieve(created.id)).toEqual({
      ...created,
      _request_id: undefined,
    });
  });

  it("are the same with and without streaming", async () => {
    const request = { model, input: "weather?", tools };
    const whole = await client.responses.create(request);
    const streamed = await client.responses.stream(request).finalResponse();
    expect(withoutIds(streamed)).toEqual(withoutIds(whole));
    expect(whole.output).toMatchObject([
      { type: "reasoning", content: [{ type: "reasoning_text", text: "Ask." }] },
      { type: "message", content: [{ type: "output_text", text: "Wait." }] },
      { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' },
    ]);
  });

  it("add up from their events to the final response", async () => {
    const texts: string[] = [];
    const types: string[] = [];
    const stream = client.responses.stream({ model, input: "weather?", tools });
    stream.on("response.output_text.delta", ({ snapshot }) => texts.push(snapshot));
    stream.on("response.function_call_arguments.delta", ({ snapshot }) => texts.push(snapshot));
    stream.on("event", ({ type, sequence_number }) => (types[sequence_number] = type));
    const { status } = await stream.finalResponse();
    expect(status).toBe("completed");
    expect(texts).toEqual(["Wait.", '{"ci', '{"city":"Oslo"}']);
    expect(types).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.reasoning_text.delta",
      "response.reasoning_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.completed",
    ]);
  });

  it("can be counted in input tokens", async () => {
    const started = engine.started.length;
    const first = await client.responses.create({ model, input: "Hi." });
    const { object, input_tokens } = await client.responses.inputTokens.count({
      model,
      previous_response_id: first.id,
      input: "Again.",
      instructions: "Be brief.",
    });
    expect(object).toBe("response.input_tokens");
    expect(input_tokens).toBe("Be brief.Hi.Hello.Again.".length);
    expect(engine.started).toHaveLength(started + 1);
  });

  it("cannot be compacted", async () => {
    const compacted = client.responses.compact({ model, input: "Hi." }, { maxRetries: 0 });
    await expect(compacted).rejects.toMatchObject({ status: 501, code: "unsupported_operation" });
  });

  it("are parsed with a zod text format", async () => {
    const format = zodTextFormat(z.object({ n: z.number() }), "number");
    const { output_parsed } = await client.responses.parse({
      model,
      input: "number?",
      text: { format },
    });
    expect(output_parsed).toEqual({ n: 7 });
    expect(engine.requests.at(-1)?.constraint).toMatchObject({
      field: "text.format.schema",
      constraint: { type: "json-schema", schema: { properties: { n: { type: "number" } } } },
    });
  });

  it("have function arguments parsed with zod", async () => {
    const parameters = z.object({ city: z.string() });
    const { output } = await client.responses.parse({
      model,
      input: "weather?",
      tools: [zodResponsesFunction({ name: "weather", parameters })],
    });
    expect(output.at(-1)).toMatchObject({ parsed_arguments: { city: "Oslo" } });
    expect(prompt(engine).tools).toMatchObject([{ name: "weather", strict: true }]);
  });

  it("continue a previous response with a function call output", async () => {
    const first = await client.responses.create({
      model,
      input: "weather?",
      instructions: "Be brief.",
      tools,
    });
    const second = await client.responses.create({
      model,
      previous_response_id: first.id,
      input: [{ type: "function_call_output", call_id: "call_1", output: "snow" }],
      tools,
    });
    expect(second).toMatchObject({ output_text: "It snows.", previous_response_id: first.id });
    const called = { id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' };
    const messages = [
      { role: "user", content: "weather?" },
      { role: "assistant", content: "Wait.", reasoning: "Ask.", toolCalls: [called] },
      { role: "tool", content: "snow", toolCallId: "call_1", name: "weather" },
    ];
    expect(prompt(engine).messages).toEqual(messages);

    await client.responses.create({ model, previous_response_id: second.id, input: "Thanks" });
    expect(prompt(engine).messages).toEqual([
      ...messages,
      { role: "assistant", content: "It snows." },
      { role: "user", content: "Thanks" },
    ]);
  });

  it("continue from the items of a response that was not stored", async () => {
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: "weather?" }];
    const first = await client.responses.create({ model, input, tools, store: false });
    await expect(client.responses.retrieve(first.id)).rejects.toThrow(OpenAI.NotFoundError);
    input.push(...(first.output as OpenAI.Responses.ResponseInputItem[]));
    input.push({ type: "function_call_output", call_id: "call_1", output: "snow" });
    const second = await client.responses.create({ model, input, tools, store: false });
    expect(second.output_text).toBe("It snows.");
    expect(prompt(engine).messages[1]).toMatchObject({ content: "Wait.", reasoning: "Ask." });
  });

  it("list their input items in pages", async () => {
    const first = await client.responses.create({ model, input: "one" });
    const second = await client.responses.create({
      model,
      previous_response_id: first.id,
      input: [{ role: "developer", content: [{ type: "input_text", text: "two" }] }],
    });
    const texts: string[] = [];
    for await (const item of client.responses.inputItems.list(second.id, {
      limit: 1,
      order: "asc",
    })) {
      if (item.type === "message") {
        texts.push(...item.content.map((part) => ("text" in part ? part.text : part.type)));
      }
    }
    expect(texts).toEqual(["one", "Hello.", "two"]);
    const latest = await client.responses.inputItems.list(second.id, { limit: 1 });
    expect(latest.data).toMatchObject([{ role: "developer" }]);
    expect(latest.has_more).toBe(true);
  });

  it("can be deleted", async () => {
    const { id } = await client.responses.create({ model, input: "Hi" });
    await client.responses.delete(id);
    await expect(client.responses.retrieve(id)).rejects.toThrow(OpenAI.NotFoundError);
    await expect(client.responses.delete(id)).rejects.toThrow(OpenAI.NotFoundError);
    await expect(
      client.responses.create({ model, input: "Hi", previous_response_id: id }),
    ).rejects.toMatchObject({
      status: 400,
      code: "previous_response_not_found",
      param: "previous_response_id",
    });
  });

  it("report that they were truncated", async () => {
    expect(await client.responses.create({ model, input: "cut" })).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [{ status: "incomplete" }],
    });
  });

  it("throw the SDK's error classes", async () => {
    const attempts = [
      [{ model: "gpt-5", input: "Hi" }, OpenAI.NotFoundError],
      [{ model, input: "x".repeat(2000) }, OpenAI.BadRequestError],
      [{ model, input: "fail" }, OpenAI.InternalServerError],
      [{ model, input: "break" }, OpenAI.InternalServerError],
    ] as const;
    for (const [request, error] of attempts) {
      await expect(client.responses.create(request)).rejects.toThrow(error);
    }
    const stream = client.responses.create({ model, input: "fail", stream: true });
    await expect(stream).rejects.toMatchObject({ status: 503, code: "server_overloaded" });
  });

  it("report a failure in the middle of a stream", async () => {
    const events: ResponseStreamEvent[] = [];
    for await (const event of await client.responses.create({
      model,
      input: "break",
      stream: true,
    })) {
      events.push(event);
    }
    expect(events.at(-1)).toMatchObject({
      type: "response.failed",
      response: {
        status: "failed",
        error: { code: "server_error", message: "The engine has gone." },
        output: [{ type: "message", status: "incomplete", content: [{ text: "One" }] }],
      },
    });
  });

  it("are cancelled when the client disconnects", async () => {
    const stream = await client.responses.create({ model, input: "never", stream: true });
    for await (const { type } of stream) if (type === "response.output_text.delta") break;
    const { id } = engine.requests.at(-1) ?? { id: "" };
    await until(() => engine.cancelled.includes(id));
    await expect(client.responses.retrieve(id)).rejects.toThrow(OpenAI.NotFoundError);
  });
});

describe("the OpenAI SDK's background responses", () => {
  it("are queued, run without a client and can be retrieved when complete", async () => {
    gate = deferred();
    const queued = await client.responses.create({ model, input: "gated", background: true });
    expect(queued).toMatchObject({ status: "queued", background: true, output: [] });
    await until(async () => (await client.responses.retrieve(queued.id)).status === "in_progress");
    expect((await client.responses.inputItems.list(queued.id)).data).toHaveLength(1);
    gate.resolve();
    await until(async () => (await client.responses.retrieve(queued.id)).status === "completed");
    expect((await client.responses.retrieve(queued.id)).output_text).toBe("One two");
    const next = { model, input: "Hi", previous_response_id: queued.id };
    expect((await client.responses.create(next)).status).toBe("completed");
  });

  it("remain cancelled when they are cancelled again", async () => {
    const { id } = await client.responses.create({ model, input: "never", background: true });
    await until(async () => (await client.responses.retrieve(id)).status === "in_progress");
    const cancelled = await client.responses.cancel(id);
    expect(cancelled.status).toBe("cancelled");
    expect(engine.cancelled).toContain(id);
    expect((await client.responses.cancel(id)).status).toBe("cancelled");
    expect((await client.responses.retrieve(id)).status).toBe("cancelled");
  });

  it("can be cancelled, unlike other responses", async () => {
    const { id } = await client.responses.create({ model, input: "Hi" });
    await expect(client.responses.cancel(id)).rejects.toThrow(OpenAI.BadRequestError);
    await expect(client.responses.cancel("resp_none")).rejects.toThrow(OpenAI.NotFoundError);
  });

  it("are cancelled when they are deleted", async () => {
    const { id } = await client.responses.create({ model, input: "never", background: true });
    await until(() => engine.started.includes(id));
    await client.responses.delete(id);
    await until(() => engine.cancelled.includes(id));
    await expect(client.responses.retrieve(id)).rejects.toThrow(OpenAI.NotFoundError);
  });

  it("have the status failed if generation fails", async () => {
    const { id } = await client.responses.create({ model, input: "fail", background: true });
    await until(async () => (await client.responses.retrieve(id)).status === "failed");
  });

  it("continue after a disconnect and can be streamed from any event", async () => {
    gate = deferred();
    const request = { model, input: "gated", background: true, stream: true } as const;
    const first: ResponseStreamEvent[] = [];
    for await (const event of await client.responses.create(request)) {
      first.push(event);
      if (event.type === "response.output_text.delta") break;
    }
    expect(first.slice(0, 3).map(({ type }) => type)).toEqual([
      "response.created",
      "response.queued",
      "response.in_progress",
    ]);
    const { id } = engine.requests.at(-1) ?? { id: "" };
    const read = async (startingAfter?: number) => {
      const events: ResponseStreamEvent[] = [];
      const query = {
        stream: true,
        ...(startingAfter !== undefined && { starting_after: startingAfter }),
      } as const;
      for await (const event of await client.responses.retrieve(id, query)) events.push(event);
      return events;
    };
    const running = read(first.length - 1);
    gate.resolve();
    const rest = await running;
    const whole = await read();
    expect([...first, ...rest]).toEqual(whole);
    expect(whole.map(({ sequence_number }) => sequence_number)).toEqual([...whole.keys()]);
    expect(whole.at(-1)?.type).toBe("response.completed");
    const helper = client.responses.stream({ response_id: id, starting_after: first.length });
    expect((await helper.finalResponse()).output_text).toBe("One two");
  });

  it("can be streamed only if they were created with streaming", async () => {
    const { id } = await client.responses.create({ model, input: "Hi", background: true });
    const attempt = client.responses.retrieve(id, { stream: true });
    await expect(attempt).rejects.toMatchObject({ status: 400, param: "stream" });
  });
});

describe("the OpenAI SDK's conversations", () => {
  it("receive the input and output of responses", async () => {
    const { id } = await client.conversations.create({
      items: [{ role: "system", content: "Be brief." }],
      metadata: { a: "b" },
    });
    await client.responses.create({ model, conversation: id, input: "weather?", tools });
    const { conversation } = await client.responses.create({
      model,
      conversation: { id },
      input: [{ type: "function_call_output", call_id: "call_1", output: "snow" }],
    });
    expect(conversation).toEqual({ id });
    expect(prompt(engine).messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
    ]);
    const types: string[] = [];
    for await (const item of client.conversations.items.list(id, { limit: 2, order: "asc" })) {
      types.push(item.type);
    }
    expect(types).toEqual([
      "message",
      "message",
      "reasoning",
      "message",
      "function_call",
      "function_call_output",
      "message",
    ]);
  });

  it("can be changed and deleted, as can their items", async () => {
    const { id } = await client.conversations.create();
    const added = await client.conversations.items.create(id, {
      items: [
        { role: "user", content: "one" },
        { role: "assistant", content: "two" },
      ],
    });
    const [first] = added.data;
    const itemId = first?.id ?? "";
    const path = { conversation_id: id };
    expect(await client.conversations.items.retrieve(itemId, path)).toMatchObject({ role: "user" });
    await client.conversations.items.delete(itemId, path);
    await expect(client.conversations.items.retrieve(itemId, path)).rejects.toThrow(
      OpenAI.NotFoundError,
    );
    expect((await client.conversations.items.list(id)).data).toHaveLength(1);
    const changed = await client.conversations.update(id, { metadata: { c: "d" } });
    expect(changed.metadata).toEqual({ c: "d" });
    expect((await client.conversations.retrieve(id)).metadata).toEqual({ c: "d" });
    expect(await client.conversations.delete(id)).toMatchObject({ id, deleted: true });
    await expect(client.conversations.retrieve(id)).rejects.toThrow(OpenAI.NotFoundError);
    const gone = client.responses.create({ model, conversation: id, input: "Hi" });
    await expect(gone).rejects.toThrow(OpenAI.NotFoundError);
  });
});

function prompt({ requests }: ScriptedEngine) {
  const last = requests.at(-1)?.prompt;
  if (last?.type !== "chat") throw new Error("expected a chat");
  return last;
}

/** Fields that are equal in two answers to the same request. */
function withoutIds({ output, output_text, status, usage }: Response) {
  const items = output.map((item) => ({ ...item, id: "", parsed_arguments: undefined }));
  return JSON.parse(
    JSON.stringify({ items, output_text, status, usage }).replaceAll(',"parsed":null', ""),
  );
}

/** Waits until a condition holds on the server. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}
