import { describe, expect, it } from "vitest";
import { nativeSlots, toSlots } from "../../../src/api/llama-server/slots.js";
import { eventually } from "../../support/eventually.js";
import { deferred, ScriptedEngine } from "../../support/scripted-engine.js";
import { servedModel } from "../../support/served-model.js";
import { buildTestApp } from "../../support/test-app.js";

const idle = { n_ctx: 100, speculative: false, is_processing: false, n_held: 0 };

describe("GET /slots", () => {
  it("reports the state of each slot, without prompt texts", async () => {
    const { promise, resolve } = deferred();
    const engine = new ScriptedEngine(() => ({
      parts: ["One", " two"],
      before: (index) => (index === 1 ? promise : undefined),
    }));
    const { app } = buildTestApp(engine);
    const slots = async () => (await app.inject("/slots")).json();
    expect(await slots()).toEqual([
      { id: 0, ...idle },
      { id: 1, ...idle },
    ]);
    const messages = [{ role: "user", content: "Hello" }];
    const payload = { messages, max_tokens: 9 };
    const answer = app.inject({ method: "POST", url: "/v1/chat/completions", payload });
    const running = {
      id: 0,
      n_ctx: 100,
      speculative: false,
      is_processing: true,
      id_task: 0,
      n_held: 1,
      n_prompt_tokens: 5,
      n_prompt_tokens_cache: 1,
      elapsed_ms: expect.any(Number),
      prompt_ms: expect.any(Number),
      next_token: [{ has_next_token: true, n_remain: 8, n_decoded: 1 }],
    };
    await eventually(async () => expect(await slots()).toEqual([running, { id: 1, ...idle }]));
    resolve();
    expect((await answer).statusCode).toBe(200);
    await eventually(async () => expect(await slots()).toMatchObject([idle, idle]));
    await app.close();
  });

  it("names the replica of each slot of a model that has several", async () => {
    const served = servedModel("m");
    const list = async () => [
      { state: "idle", heldTokens: 3, replica: 0 } as const,
      { state: "idle", heldTokens: 0, replica: 1 } as const,
    ];
    const slots = await toSlots({ ...served, slots: { ...served.slots, list } });
    expect(slots).toMatchObject([
      { id: 0, replica: 0, n_held: 3 },
      { id: 1, replica: 1, n_held: 0 },
    ]);
    expect(nativeSlots.parse(slots)).toEqual(slots);
  });

  it("is answered with 501 if it is disabled", async () => {
    const engine = new ScriptedEngine(() => ({ parts: [] }));
    const { app } = buildTestApp(engine, { slotList: "disabled" });
    const response = await app.inject("/slots");
    expect(response.statusCode).toBe(501);
    expect(response.json().error.message).toContain("--no-slots");
    await app.close();
  });

  it("requires a generation model, which the query can name", async () => {
    const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })));
    expect((await app.inject("/slots?model=scripted")).json()).toHaveLength(2);
    const unknown = await app.inject("/slots?model=other");
    expect(unknown.json().error).toMatchObject({ code: "model_not_found", param: "model" });
    expect((await app.inject("/slots?model=")).json().error.param).toBe("model");
    await app.close();
  });
});

describe("POST /slots/{id}", () => {
  const command = async (url: string, payload?: object) => {
    const engine = new ScriptedEngine(() => ({ parts: [] }));
    const { app } = buildTestApp(engine);
    const response = await app.inject({ method: "POST", url, ...(payload && { payload }) });
    await app.close();
    return { body: response.json(), status: response.statusCode, commands: engine.commands };
  };

  it("saves, restores and erases a slot with llama-server's field names", async () => {
    const filename = "manual v1.bin";
    expect(await command("/slots/1?action=save", { filename })).toEqual({
      status: 200,
      body: { id_slot: 1, filename, n_saved: 5, n_written: 640, timings: { save_ms: 2 } },
      commands: [{ action: "save", slot: 1, name: filename }],
    });
    expect(await command("/slots/0?action=restore&model=scripted", { filename })).toEqual({
      status: 200,
      body: { id_slot: 0, filename, n_restored: 5, n_read: 640, timings: { restore_ms: 2 } },
      commands: [{ action: "restore", slot: 0, name: filename }],
    });
    expect(await command("/slots/0?action=erase")).toEqual({
      status: 200,
      body: { id_slot: 0, n_erased: 5 },
      commands: [{ action: "erase", slot: 0 }],
    });
  });

  it.each<[url: string, payload: object | undefined, param: string | null, reason: string]>([
    ["/slots/x?action=erase", undefined, "id", "expected the number of a slot"],
    ["/slots/-1?action=erase", undefined, "id", "expected the number of a slot"],
    ["/slots/0", undefined, "action", "expected one of save, restore, erase"],
    ["/slots/0?action=drop", undefined, "action", "expected one of save, restore, erase"],
    ["/slots/0?action=save", undefined, null, "expected a JSON object with filename"],
    ["/slots/0?action=save", {}, "filename", "expected a string"],
    ["/slots/0?action=save", { filename: 5 }, "filename", "expected a string"],
    ...[
      "",
      ".",
      "..",
      "../x",
      "a/b",
      "a\\b",
      ".x",
      "x.",
      " x",
      "a:b",
      "a\0b",
      "x".repeat(101),
      "é",
    ].map((filename): [string, object, string, string] => [
      "/slots/0?action=restore",
      { filename },
      "filename",
      "expected a file name",
    ]),
  ])("rejects %s with body %j", async (url, payload, param, reason) => {
    const { body, status, commands } = await command(url, payload);
    expect([status, commands]).toEqual([400, []]);
    expect(body.error).toMatchObject({ code: "invalid_request", param });
    expect(body.error.message).toContain(reason);
  });
});

describe("a completion's id_slot", () => {
  const complete = async (payload: object) => {
    const script = () => ({ parts: ["One"] });
    const engine = new ScriptedEngine(script, { rawScript: script });
    const { app } = buildTestApp(engine);
    const response = await app.inject({ method: "POST", url: "/completion", payload });
    await app.close();
    return { response, engine };
  };

  it.each([
    [{ id_slot: 1 }, 1],
    [{ id_slot: 0 }, 0],
    [{ id_slot: -1 }, undefined],
    [{}, undefined],
  ])("selects the slot: %j", async (fields, slot) => {
    const { engine } = await complete({ prompt: "say", ...fields });
    expect(engine.rawRequests[0]?.slot).toBe(slot);
  });

  it("is rejected if the server has no such slot", async () => {
    const { response } = await complete({ prompt: "say", id_slot: 2 });
    expect(response.json().error).toMatchObject({
      code: "invalid_request",
      param: "id_slot",
      message: "id_slot: expected an integer from -1 to 1, got 2.",
    });
  });
});
