import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeF32Twin } from "../../models/gguf/f32-twin.js";
import { openEngine } from "../support/generate.js";
import { type RunningApp, runApp } from "../support/running-app.js";
import { shippedModel } from "../support/shipped-model.js";

/** Questions with one clear answer, in f32, because rounding depends on which requests share a batch. */
const questions: readonly string[] = JSON.parse(
  readFileSync(new URL("definite-questions.json", import.meta.url), "utf8"),
);
const folder = mkdtempSync(join(tmpdir(), "ggufd-"));
const model = join(folder, "twin.gguf");

let server: RunningApp;
let client: OpenAI;
beforeAll(async () => {
  writeF32Twin(shippedModel, model);
  server = await runApp(await openEngine(model, { slots: 8 }));
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const chatRequest = (content: string) => ({
  model: "scripted",
  messages: [{ role: "user" as const, content }],
  max_tokens: 24,
  temperature: 1,
  seed: 1,
});

async function streamed(request: ReturnType<typeof chatRequest>) {
  const stream = client.chat.completions.stream({
    ...request,
    stream_options: { include_usage: true },
  });
  return stream.finalChatCompletion();
}

describe("the openai package", () => {
  it("gets the same answer with and without streaming", async () => {
    const whole = await client.chat.completions.create(chatRequest("twice"));
    const assembled = await streamed(chatRequest("twice"));
    expect(assembled.choices[0]?.message.content).toBe(whole.choices[0]?.message.content);
    expect(assembled.choices[0]?.finish_reason).toBe(whole.choices[0]?.finish_reason);
    expect(assembled.usage?.total_tokens).toBe(whole.usage?.total_tokens);
    expect(assembled.model).toBe("scripted");
  });

  it("gets the correct answers to 32 concurrent requests on 8 slots", async () => {
    const requests = questions
      .slice(0, 32)
      .map((question) => ({ ...chatRequest(question), temperature: 0 }));
    const alone = [];
    for (const request of requests) alone.push(await client.chat.completions.create(request));
    const together = await Promise.all(
      requests.map((request, index) =>
        index % 2 === 0 ? streamed(request) : client.chat.completions.create(request),
      ),
    );
    const text = ({ choices }: OpenAI.ChatCompletion) => choices[0]?.message.content;
    expect(together.map(text)).toEqual(alone.map(text));
    expect(new Set(alone.map(text)).size).toBe(32);
    for (const [index, { usage }] of together.entries()) {
      expect(usage?.prompt_tokens).toBe(alone[index]?.usage?.prompt_tokens);
      expect(usage?.completion_tokens).toBe(alone[index]?.usage?.completion_tokens);
      expect(usage?.total_tokens).toBe(
        (usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0),
      );
    }
  });

  it("maps errors to its own classes", async () => {
    await expect(
      client.chat.completions.create({ ...chatRequest("x"), model: "other" }),
    ).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(
      client.chat.completions.create({ ...chatRequest("x"), temperature: 9 }),
    ).rejects.toMatchObject({ status: 400, code: "invalid_request", param: "temperature" });
    await expect(
      client.chat.completions.create({ ...chatRequest("long ".repeat(2000)), stream: true }),
    ).rejects.toMatchObject({
      status: 400,
      code: "context_length_exceeded",
      message: expect.stringContaining("maximum context length is 512 tokens"),
    });
  });

  it("can abort a stream and continue with the next request", async () => {
    const stream = await client.chat.completions.create({
      ...chatRequest("endless"),
      max_tokens: 400,
      stream: true,
    });
    for await (const chunk of stream) {
      expect(chunk.choices[0]?.delta.content).toBeTypeOf("string");
      break;
    }
    const next = await client.chat.completions.create(chatRequest("after"));
    expect(next.choices[0]?.message.role).toBe("assistant");
  });

  it("lists and retrieves the model", async () => {
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual(["scripted"]);
    expect(await client.models.retrieve("scripted")).toMatchObject({ object: "model" });
    await expect(client.models.retrieve("other")).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });
});
