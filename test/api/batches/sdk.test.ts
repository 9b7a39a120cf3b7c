import OpenAI, { toFile } from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { chatLine } from "../../support/batch-options.js";
import { eventually } from "../../support/eventually.js";
import { runApp } from "../../support/running-app.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { openStoredBatches } from "../../support/stored-batches.js";

async function clientOf(script: () => Script) {
  const { batches } = await openStoredBatches();
  const { url, close } = await runApp(new ScriptedEngine(script, { slots: 8 }), {
    batches,
    apiKeys: ["key"],
  });
  onTestFinished(close);
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: "key", maxRetries: 0 });
}

async function createBatch(client: OpenAI, lines: readonly string[]) {
  const input = await client.files.create({
    file: await toFile(Buffer.from(lines.join("\n")), "input.jsonl"),
    purpose: "batch",
    expires_after: { anchor: "created_at", seconds: 7200 },
  });
  expect(input).toMatchObject({ filename: "input.jsonl", purpose: "batch" });
  expect(Number(input.expires_at) - input.created_at).toBe(7200);
  return client.batches.create({
    input_file_id: input.id,
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
    metadata: { run: "one" },
    output_expires_after: { anchor: "created_at", seconds: 3600 },
  });
}

const whenStatus = (client: OpenAI, id: string, status: OpenAI.Batch["status"]) =>
  eventually(async () => {
    const batch = await client.batches.retrieve(id);
    expect(batch.status).toBe(status);
    return batch;
  });

describe("OpenAI's SDK", () => {
  it("drives a batch to its end, and reads answers and errors", async () => {
    const client = await clientOf(() => ({ parts: ["Hello"] }));
    const { id, metadata } = await createBatch(client, [
      chatLine("good", "Hi"),
      chatLine("bad", "Hi", { temperature: 9 }),
    ]);
    expect(metadata).toEqual({ run: "one" });
    const batch = await whenStatus(client, id, "completed");
    expect(batch.request_counts).toEqual({ total: 2, completed: 1, failed: 1 });
    const read = async (file: string | undefined) =>
      JSON.parse(await (await client.files.content(file ?? "")).text());
    expect(await read(batch.output_file_id)).toMatchObject({
      custom_id: "good",
      response: { status_code: 200, body: { choices: [{ message: { content: "Hello" } }] } },
    });
    expect(await read(batch.error_file_id)).toMatchObject({
      custom_id: "bad",
      response: { status_code: 400, body: { error: { param: "temperature" } } },
    });
    const output = await client.files.retrieve(batch.output_file_id ?? "");
    expect(output).toMatchObject({ purpose: "batch_output", filename: `${id}_output.jsonl` });
    expect(Number(output.expires_at) - output.created_at).toBe(3600);
  });

  it("reads the errors of an invalid input, with their line numbers", async () => {
    const client = await clientOf(() => ({ parts: [] }));
    const { id } = await createBatch(client, [chatLine("a", "Hi"), "{}"]);
    const { errors } = await whenStatus(client, id, "failed");
    expect(errors?.data).toEqual([
      {
        code: "invalid_request",
        message: "custom_id: expected a string of 1 to 512 characters, got nothing.",
        param: "custom_id",
        line: 2,
      },
    ]);
  });

  it("cancels a batch", async () => {
    const client = await clientOf(() => ({ parts: [], ending: "never" }));
    const { id } = await createBatch(client, [chatLine("a", "Hi")]);
    await whenStatus(client, id, "in_progress");
    expect(["cancelling", "cancelled"]).toContain((await client.batches.cancel(id)).status);
    await whenStatus(client, id, "cancelled");
  });

  it("lists batches and files in pages, and deletes files", async () => {
    const client = await clientOf(() => ({ parts: ["Hello"] }));
    const ids = new Set<string>();
    for (let index = 0; index < 3; index++) {
      const { id } = await createBatch(client, [chatLine("a", "Hi")]);
      await whenStatus(client, id, "completed");
      ids.add(id);
    }
    const listed = new Set<string>();
    for await (const { id } of client.batches.list({ limit: 1 })) listed.add(id);
    expect(listed).toEqual(ids);
    const files: string[] = [];
    for await (const { id } of client.files.list({ limit: 2, purpose: "batch_output" })) {
      files.push(id);
    }
    expect(files).toHaveLength(3);
    for (const id of files) expect((await client.files.delete(id)).deleted).toBe(true);
    expect((await client.files.list({ purpose: "batch_output" })).data).toEqual([]);
  });
});
