import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import { chatLine } from "../../support/batch-options.js";
import { eventually } from "../../support/eventually.js";
import { formPayload } from "../../support/form-payload.js";
import { deferred, type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { openStoredBatches, type StoredBatchesOptions } from "../../support/stored-batches.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { buildTestApp, type TestAppOptions } from "../../support/test-app.js";
import { textIn } from "../../support/text-in.js";

type Answers = (content: string) => Script;

const echo: Answers = (content) => ({ parts: [`to ${content}`] });

/** An application that runs batches, with the requests of a client. */
async function batchClient(
  answers: Answers = echo,
  options: TestAppOptions = {},
  stored: StoredBatchesOptions = {},
) {
  const opened = await openStoredBatches(stored);
  const engine = new ScriptedEngine(
    ({ prompt }) => answers(textIn(prompt.messages.at(-1)?.content ?? "")),
    { slots: 8 },
  );
  const { app } = buildTestApp(engine, { ...options, batches: opened.batches });
  const headers = (key?: string) => (key ? { authorization: `Bearer ${key}` } : {});
  const upload = async (text: string, key?: string): Promise<string> => {
    const form = await formPayload({ purpose: "batch", file: new Blob([text]) });
    const response = await app.inject({
      method: "POST",
      url: "/v1/files",
      headers: { ...form.headers, ...headers(key) },
      payload: form.payload as Buffer,
    });
    return response.json().id;
  };
  const post = (url: string, body?: object, key?: string) =>
    app.inject({ method: "POST", url, headers: headers(key), ...(body && { payload: body }) });
  const get = (url: string, key?: string) => app.inject({ url, headers: headers(key) });
  const create = async (lines: readonly string[], fields: object = {}, key?: string) => {
    const input_file_id = await upload(lines.join("\n"), key);
    const endpoint = "/v1/chat/completions";
    const body = { input_file_id, endpoint, completion_window: "24h", ...fields };
    return (await post("/v1/batches", body, key)).json();
  };
  const statusOf = async (id: string, key?: string) => (await get(`/v1/batches/${id}`, key)).json();
  const whenStatus = (id: string, status: string, key?: string) =>
    eventually(async () => {
      const batch = await statusOf(id, key);
      expect(batch.status).toBe(status);
      return batch;
    });
  const results = async (fileId: string, key?: string) => {
    const { body } = await get(`/v1/files/${fileId}/content`, key);
    return body
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .toSorted((a, b) => (a.custom_id < b.custom_id ? -1 : 1));
  };
  return { ...opened, app, engine, upload, post, get, create, statusOf, whenStatus, results };
}

describe("a batch", () => {
  it("answers each line through its route, by custom_id", async () => {
    const { create, whenStatus, results } = await batchClient();
    const created = await create([chatLine("a", "one"), chatLine("b", "two")], {
      metadata: { run: "1" },
    });
    expect(created).toMatchObject({
      object: "batch",
      endpoint: "/v1/chat/completions",
      status: "validating",
      completion_window: "24h",
      output_file_id: null,
      metadata: { run: "1" },
    });
    expect(created.expires_at - created.created_at).toBe(86_400);
    const batch = await whenStatus(created.id, "completed");
    expect(batch.request_counts).toEqual({ total: 2, completed: 2, failed: 0 });
    expect(batch.error_file_id).toBeNull();
    expect(batch.errors).toBeNull();
    for (const time of ["in_progress_at", "finalizing_at", "completed_at"]) {
      expect(batch[time]).toBeGreaterThanOrEqual(batch.created_at);
    }
    expect(await results(batch.output_file_id)).toMatchObject([
      {
        id: expect.stringMatching(/^batch_req_/),
        custom_id: "a",
        response: {
          status_code: 200,
          request_id: expect.any(String),
          body: { choices: [{ message: { content: "to one" } }] },
        },
        error: null,
      },
      { custom_id: "b", response: { body: { choices: [{ message: { content: "to two" } }] } } },
    ]);
  });

  it("puts the errors of lines into an error file, also of unknown models", async () => {
    const { create, whenStatus, results } = await batchClient();
    const { id } = await create([
      chatLine("bad", "x", { temperature: "hot" }),
      chatLine("good", "x"),
      chatLine("unknown", "x", { model: "gpt-5" }),
    ]);
    const batch = await whenStatus(id, "completed");
    expect(batch.request_counts).toEqual({ total: 3, completed: 1, failed: 2 });
    expect(await results(batch.output_file_id)).toMatchObject([{ custom_id: "good" }]);
    expect(await results(batch.error_file_id)).toMatchObject([
      {
        custom_id: "bad",
        response: { status_code: 400, body: { error: { param: "temperature" } } },
        error: null,
      },
      { custom_id: "unknown", response: { status_code: 404, body: { error: { param: "model" } } } },
    ]);
  });

  it("fails as a whole if its input is invalid, with the numbers of the lines", async () => {
    const { create, whenStatus, engine } = await batchClient();
    const { id } = await create([chatLine("a", "one"), "{", chatLine("a", "two")]);
    const batch = await whenStatus(id, "failed");
    expect(batch.errors).toMatchObject({
      object: "list",
      data: [
        { code: "invalid_json_line", line: 2 },
        { code: "duplicate_custom_id", line: 3, param: "custom_id" },
      ],
    });
    expect(engine.requests).toEqual([]);
  });

  it("is cancelled: results so far are kept, running lines are stopped", async () => {
    const { create, whenStatus, post, results, engine } = await batchClient((content) =>
      content === "quick" ? { parts: ["done"] } : { parts: [], ending: "never" },
    );
    const { id } = await create([
      chatLine("1", "quick"),
      ...["2", "3", "4", "5", "6", "7"].map((name) => chatLine(name, "slow")),
    ]);
    await eventually(async () => expect(engine.started.length).toBeGreaterThanOrEqual(4));
    await eventually(() => expect(engine.requests.map(String)).not.toEqual([]));
    const cancelling = await post(`/v1/batches/${id}/cancel`);
    expect(["cancelling", "cancelled"]).toContain(cancelling.json().status);
    const batch = await whenStatus(id, "cancelled");
    expect(batch.cancelling_at).not.toBeNull();
    expect(batch.cancelled_at).not.toBeNull();
    expect(batch.error_file_id).toBeNull();
    if (batch.output_file_id !== null) {
      expect(await results(batch.output_file_id)).toMatchObject([{ custom_id: "1" }]);
    }
    expect(engine.cancelled.length).toBeGreaterThan(0);
    const again = await post(`/v1/batches/${id}/cancel`);
    expect(again.statusCode).toBe(400);
    expect(again.json().error.message).toContain("got status cancelled");
  });

  it("repeats lines that the server refuses for now", async () => {
    let refusals = 0;
    const { create, whenStatus } = await batchClient(() => {
      if (refusals++ > 0) return { parts: ["ok"] };
      return { parts: [], ending: new GgufdError("server_overloaded", "not now") };
    });
    const { id } = await create([chatLine("a", "one")]);
    const batch = await whenStatus(id, "completed");
    expect(batch.request_counts).toEqual({ total: 1, completed: 1, failed: 0 });
  });

  it("runs at most a fixed number of lines at once, and the rest after them", async () => {
    const held = deferred();
    let [running, most] = [0, 0];
    const { create, whenStatus } = await batchClient(() => ({
      parts: ["a"],
      before: () => {
        most = Math.max(most, ++running);
        return held.promise.then(() => {
          running--;
        });
      },
    }));
    const { id } = await create(
      Array.from({ length: 10 }, (_, index) => chatLine(`${index}`, "x")),
    );
    await eventually(() => expect(running).toBe(4));
    held.resolve();
    const batch = await whenStatus(id, "completed");
    expect(most).toBe(4);
    expect(batch.request_counts.completed).toBe(10);
  });

  it("yields to interactive requests", async () => {
    const held = deferred();
    const order: string[] = [];
    const opened = await openStoredBatches({ linesAtOnce: 8 });
    const engine = new ScriptedEngine(
      ({ prompt }) => {
        order.push(textIn(prompt.messages.at(-1)?.content ?? ""));
        return { parts: ["a"], before: () => held.promise };
      },
      { slots: 1 },
    );
    const { app } = buildTestApp(engine, { batches: opened.batches });
    const form = await formPayload({
      purpose: "batch",
      file: new Blob([["1", "2", "3"].map((name) => chatLine(name, "batch")).join("\n")]),
    });
    const file = await app.inject({ method: "POST", url: "/v1/files", ...form });
    await app.inject({
      method: "POST",
      url: "/v1/batches",
      payload: {
        input_file_id: file.json().id,
        endpoint: "/v1/chat/completions",
        completion_window: "24h",
      },
    });
    await eventually(() => expect(engine.requests).toHaveLength(3));
    const chat = app.inject({
      method: "POST",
      url: "/v1/chat/completions",
      payload: { messages: [{ role: "user", content: "chat" }] },
    });
    await eventually(() => expect(engine.requests).toHaveLength(4));
    held.resolve();
    await chat;
    expect(order.indexOf("chat")).toBe(1);
  });

  it("expires: unanswered lines are in the error file", async () => {
    let now = Date.now();
    const folder = join(await temporaryFolder(), "batches");
    const first = await batchClient(
      (content) => (content === "quick" ? { parts: ["done"] } : { parts: [], ending: "never" }),
      {},
      { folder, now: () => now },
    );
    const { id } = await first.create([chatLine("a", "quick"), chatLine("b", "slow")]);
    await eventually(async () =>
      expect((await first.statusOf(id)).request_counts.completed).toBe(1),
    );
    await first.close();
    now += 24 * 3_600_000;
    const second = await batchClient(echo, {}, { folder, now: () => now });
    const batch = await second.whenStatus(id, "expired");
    expect(batch.request_counts).toEqual({ total: 2, completed: 1, failed: 1 });
    expect(await second.results(batch.error_file_id)).toMatchObject([
      { custom_id: "b", response: null, error: { code: "batch_expired" } },
    ]);
    expect(second.engine.requests).toEqual([]);
  });

  it("continues after a restart: answered lines are not answered again", async () => {
    const folder = join(await temporaryFolder(), "batches");
    const lines = Array.from({ length: 14 }, (_, index) =>
      chatLine(`line-${index}`, index < 10 ? "quick" : "slow"),
    );
    const first = await batchClient(
      (content) => (content === "quick" ? { parts: ["first"] } : { parts: [], ending: "never" }),
      {},
      { folder, linesAtOnce: 20 },
    );
    const { id } = await first.create(lines);
    await eventually(async () =>
      expect((await first.statusOf(id)).request_counts.completed).toBe(10),
    );
    await first.close();
    const second = await batchClient(() => ({ parts: ["second"] }), {}, { folder });
    const batch = await second.whenStatus(id, "completed");
    expect(batch.request_counts).toEqual({ total: 14, completed: 14, failed: 0 });
    expect(second.engine.requests).toHaveLength(4);
    const found = await second.results(batch.output_file_id);
    expect(new Set(found.map(({ custom_id }) => custom_id)).size).toBe(14);
    const contents = found.map(({ response }) => response.body.choices[0].message.content);
    expect(contents.filter((content) => content === "first")).toHaveLength(10);
  });

  it.each([
    [{ endpoint: "/v1/images" }, "endpoint: expected one of /v1/chat/completions"],
    [{ completion_window: "1y" }, 'completion_window: expected "24h"'],
    [{ metadata: { a: 1 } }, "metadata.a: expected a string"],
    [{ output_expires_after: { anchor: "x", seconds: 3600 } }, "output_expires_after.anchor"],
    [{ input_file_id: "file-x" }, "File with id 'file-x' not found"],
  ])("is refused: %j", async (fields, message) => {
    const { create } = await batchClient();
    expect((await create([chatLine("a", "x")], fields)).error.message).toContain(message);
  });

  it("names the field of an unknown input file", async () => {
    const { post } = await batchClient(echo);
    const refused = await post("/v1/batches", {
      input_file_id: "file-x",
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
    });
    expect(refused.statusCode).toBe(404);
    expect(refused.json().error.param).toBe("input_file_id");
  });

  it("needs a file with the purpose batch", async () => {
    const { app, post } = await batchClient();
    const form = await formPayload({ purpose: "user_data", file: new Blob(["{}"]) });
    const file = await app.inject({ method: "POST", url: "/v1/files", ...form });
    const refused = await post("/v1/batches", {
      input_file_id: file.json().id,
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
    });
    expect(refused.json().error).toMatchObject({ param: "input_file_id" });
  });

  it("keeps its input file until it ends", async () => {
    const { app, create, post, whenStatus, engine } = await batchClient(() => ({
      parts: [],
      ending: "never",
    }));
    const { id, input_file_id } = await create([chatLine("a", "x")]);
    await eventually(() => expect(engine.started).toHaveLength(1));
    const remove = () => app.inject({ method: "DELETE", url: `/v1/files/${input_file_id}` });
    const refused = await remove();
    expect(refused.statusCode).toBe(409);
    expect(refused.json().error.code).toBe("file_in_use");
    await post(`/v1/batches/${id}/cancel`);
    await whenStatus(id, "cancelled");
    expect((await remove()).statusCode).toBe(200);
  });

  it("lists the batches of a client, latest first", async () => {
    const { create, get } = await batchClient();
    const ids: string[] = [];
    for (let index = 0; index < 3; index++) ids.push((await create([chatLine("a", "x")])).id);
    const page = (await get("/v1/batches?limit=2")).json();
    expect(page.data.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[1]]);
    expect(page).toMatchObject({ has_more: true, last_id: ids[1] });
    const next = (await get(`/v1/batches?after=${ids[1]}`)).json();
    expect(next.data.map(({ id }: { id: string }) => id)).toEqual([ids[0]]);
  });
});

describe("with keys, a batch", () => {
  const keyLines = [
    "a-key name=alice",
    "b-key name=bob scopes=batches",
    "c-key name=carol tokens-per-minute=1",
  ];

  it("belongs to its key, and its lines count against the key's limits", async () => {
    const { create, whenStatus, get, post, statusOf } = await batchClient(echo, { keyLines });
    const { id } = await create([chatLine("a", "one")], {}, "a-key");
    await whenStatus(id, "completed", "a-key");
    expect((await get(`/v1/batches/${id}`, "b-key")).statusCode).toBe(404);
    expect((await post(`/v1/batches/${id}/cancel`, undefined, "b-key")).statusCode).toBe(404);
    expect((await get("/v1/batches", "b-key")).json().data).toEqual([]);
    const limited = await create([chatLine("1", "x"), chatLine("2", "x")], {}, "c-key");
    await eventually(async () =>
      expect((await statusOf(limited.id, "c-key")).request_counts.completed).toBeGreaterThan(0),
    );
    const refused = await post("/v1/chat/completions", { messages: [] }, "c-key");
    expect(refused.statusCode).toBe(429);
  });

  it("has errors in place of answers if the key lacks the scope of the route", async () => {
    const { create, whenStatus, results } = await batchClient(echo, { keyLines });
    const { id } = await create([chatLine("a", "one")], {}, "b-key");
    const batch = await whenStatus(id, "completed", "b-key");
    expect(await results(batch.error_file_id, "b-key")).toMatchObject([
      { response: { status_code: 403, body: { error: { code: "permission_denied" } } } },
    ]);
  });

  it("has errors in place of answers once its key is gone", async () => {
    const folder = join(await temporaryFolder(), "batches");
    const never: Answers = () => ({ parts: [], ending: "never" });
    const first = await batchClient(never, { keyLines }, { folder });
    const { id } = await first.create([chatLine("a", "one")], {}, "a-key");
    await eventually(() => expect(first.engine.started).toHaveLength(1));
    await first.close();
    const second = await batchClient(echo, { keyLines: ["b-key name=bob"] }, { folder });
    await eventually(() =>
      expect(second.batches.get("alice", "openai", id).status).toBe("completed"),
    );
    expect(second.batches.get("alice", "openai", id).counts).toMatchObject({ errored: 1 });
    expect(second.engine.requests).toEqual([]);
  });
});
