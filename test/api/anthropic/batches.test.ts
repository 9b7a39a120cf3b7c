import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../support/eventually.js";
import { runApp } from "../../support/running-app.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { openStoredBatches } from "../../support/stored-batches.js";
import { ALIAS, buildTestApp } from "../../support/test-app.js";
import { textIn } from "../../support/text-in.js";

async function clientOf(script: (content: string) => Script) {
  const { batches } = await openStoredBatches();
  const engine = new ScriptedEngine(
    ({ prompt }) => script(textIn(prompt.messages.at(-1)?.content ?? "")),
    { slots: 8 },
  );
  const { url, close } = await runApp(engine, { batches, apiKeys: ["key"] });
  onTestFinished(close);
  const client = new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 });
  return { client, engine, batches: client.messages.batches };
}

const request = (custom_id: string, content: string, params: object = {}) => ({
  custom_id,
  params: {
    model: ALIAS,
    max_tokens: 10,
    messages: [{ role: "user" as const, content }],
    ...params,
  },
});

const whenEnded = (batches: Anthropic.Messages.Batches, id: string) =>
  eventually(async () => {
    const batch = await batches.retrieve(id);
    expect(batch.processing_status).toBe("ended");
    return batch;
  });

async function resultsOf(batches: Anthropic.Messages.Batches, id: string) {
  const results: Anthropic.Messages.MessageBatchIndividualResponse[] = [];
  for await (const result of await batches.results(id)) results.push(result);
  return results.toSorted((a, b) => (a.custom_id < b.custom_id ? -1 : 1));
}

describe("Anthropic's SDK", () => {
  it("drives a batch to its end, and reads messages and errors", async () => {
    const { batches } = await clientOf((content) => ({ parts: [`to ${content}`] }));
    const created = await batches.create({
      requests: [
        request("a", "one"),
        request("b", "two", { temperature: 9 }),
        request("c", "three", { model: "claude" }),
      ],
    });
    expect(created).toMatchObject({
      type: "message_batch",
      processing_status: "in_progress",
      ended_at: null,
      results_url: null,
    });
    expect(Date.parse(created.expires_at) - Date.parse(created.created_at)).toBe(86_400_000);
    const batch = await whenEnded(batches, created.id);
    expect(batch.request_counts).toEqual({
      processing: 0,
      succeeded: 1,
      errored: 2,
      canceled: 0,
      expired: 0,
    });
    expect(await resultsOf(batches, created.id)).toMatchObject([
      {
        custom_id: "a",
        result: { type: "succeeded", message: { content: [{ type: "text", text: "to one" }] } },
      },
      {
        custom_id: "b",
        result: { type: "errored", error: { error: { type: "invalid_request_error" } } },
      },
      {
        custom_id: "c",
        result: { type: "errored", error: { type: "error", error: { type: "not_found_error" } } },
      },
    ]);
  });

  it("cancels a batch: requests without an answer are canceled", async () => {
    const { batches, engine } = await clientOf((content) =>
      content === "quick" ? { parts: ["done"] } : { parts: [], ending: "never" },
    );
    const { id } = await batches.create({
      requests: [request("a", "quick"), ...["b", "c", "d"].map((name) => request(name, "slow"))],
    });
    await eventually(async () =>
      expect((await batches.retrieve(id)).request_counts.succeeded).toBe(1),
    );
    await eventually(() => expect(engine.started).toHaveLength(4));
    const canceling = await batches.cancel(id);
    expect(canceling.cancel_initiated_at).not.toBeNull();
    const batch = await whenEnded(batches, id);
    expect(batch.request_counts).toMatchObject({ succeeded: 1, canceled: 3, processing: 0 });
    const types = (await resultsOf(batches, id)).map(({ result }) => result.type);
    expect(types).toEqual(["succeeded", "canceled", "canceled", "canceled"]);
  });

  it("lists batches in both directions, and deletes one that has ended", async () => {
    const { batches } = await clientOf(() => ({ parts: ["done"] }));
    const ids: string[] = [];
    for (let index = 0; index < 3; index++) {
      ids.push((await batches.create({ requests: [request("a", "x")] })).id);
    }
    const listed: string[] = [];
    for await (const { id } of batches.list({ limit: 2 })) listed.push(id);
    expect(listed).toEqual(ids.toReversed());
    const before = await batches.list({ before_id: ids[0] ?? "", limit: 1 });
    expect(before.data.map(({ id }) => id)).toEqual([ids[1]]);
    const [id = ""] = ids;
    await whenEnded(batches, id);
    expect(await batches.delete(id)).toEqual({ id, type: "message_batch_deleted" });
    await expect(batches.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });

  it("cannot delete a batch that runs", async () => {
    const { batches } = await clientOf(() => ({ parts: [], ending: "never" }));
    const { id } = await batches.create({ requests: [request("a", "x")] });
    await expect(batches.delete(id)).rejects.toMatchObject({ status: 409 });
    await expect(batches.results(id)).rejects.toThrow();
  });
});

describe("a batch of messages", () => {
  const app = async () => {
    const { batches } = await openStoredBatches();
    return buildTestApp(new ScriptedEngine(() => ({ parts: ["ok"] })), { batches }).app;
  };

  it.each([
    ["[]", "body: expected a JSON object"],
    ["{}", "requests: expected an array of at least one request, got nothing."],
    ['{"requests":[]}', "requests: expected an array of at least one request"],
    ['{"requests":3}', "requests: expected an array of at least one request, got 3."],
    ['{"requests":[{}]}', "requests.0.custom_id: expected a string of 1 to 64 letters"],
    ['{"requests":[{"custom_id":"a b","params":{}}]}', "requests.0.custom_id"],
    ['{"requests":[{"custom_id":"a"}]}', "requests.0.params: expected an object, got nothing."],
    [
      '{"requests":[{"custom_id":"a","params":{}},{"custom_id":"a","params":{}}]}',
      'requests.1.custom_id: expected a unique value, got "a" again.',
    ],
    [
      '{"requests":[{"custom_id":"a","params":{"stream":true}}]}',
      "requests.0.params.stream: expected false or nothing",
    ],
    ['{"requests":[{]}', "body: expected JSON"],
    ["", "expected"],
  ])("is refused: %s", async (payload, message) => {
    const response = await (await app()).inject({
      method: "POST",
      url: "/v1/messages/batches",
      headers: { "content-type": "application/json" },
      payload,
    });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error", message: expect.stringContaining(message) },
    });
    expect(response.headers["request-id"]).toBe(response.headers["x-request-id"]);
  });

  it("keeps the text of its requests", async () => {
    const { batches } = await openStoredBatches();
    const engine = new ScriptedEngine(() => ({ parts: ["ok"] }));
    const { app } = buildTestApp(engine, { batches });
    const input = '{"n": 1.0, "big": 12345678901234567890}';
    const messages = `[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":${input}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}]`;
    await app.inject({
      method: "POST",
      url: "/v1/messages/batches",
      headers: { "content-type": "application/json" },
      payload: `{"requests":[{"custom_id":"a","params":{"max_tokens":9,"messages":${messages}}}]}`,
    });
    await eventually(() => expect(engine.requests).toHaveLength(1));
    expect(JSON.stringify(engine.requests[0])).toContain("12345678901234567890");
  });
});
