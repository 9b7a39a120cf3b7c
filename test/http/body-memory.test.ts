import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { MediaMemory } from "../../src/core/media-memory.js";
import { eventually } from "../support/eventually.js";
import { formOf } from "../support/form-payload.js";
import { listening } from "../support/raw-connection.js";
import { type Script, ScriptedEngine } from "../support/scripted-engine.js";
import { buildTestApp } from "../support/test-app.js";

const MIB = 2 ** 20;
/**
 * Large bodies reserve two and a half times their size: enough memory for one such body, not for
 * two.
 */
const LIMIT = 4 * MIB;
const CHATS = "/v1/chat/completions";
const RESPONSES = "/v1/responses";

const chat = { messages: [{ role: "user", content: "x".repeat(MIB) }] };
const takenBy = (body: object) => Math.ceil(2.5 * JSON.stringify(body).length);
const TAKEN = takenBy(chat);
const small = { messages: [{ role: "user", content: "x" }] };

/** Application with answers that end on demand. */
async function appWith({ limitBytes = LIMIT, waitingLimitMs = 60_000 } = {}) {
  const ends: (() => void)[] = [];
  let answers: "held" | "ended" = "held";
  const script = (): Script => ({
    parts: ["Hi"],
    before: () =>
      answers === "ended" ? undefined : new Promise((resolve) => void ends.push(resolve)),
  });
  const engine = new ScriptedEngine(script, {
    ...{ slots: 8, contextSize: 100 * MIB, media: ["audio"] },
  });
  const memory = new MediaMemory(limitBytes, waitingLimitMs);
  const { app } = buildTestApp(engine, {
    ...{ mediaMemory: memory, mediaLimits: { fileBytes: 100 * MIB, totalBytes: 100 * MIB } },
  });
  const port = await listening(app);
  const send = (path: string, body: Buffer, headers: Readonly<Record<string, string>>) => {
    const call = request({
      ...{ port, host: "127.0.0.1", method: "POST", path, agent: false, headers },
    });
    call.on("error", () => undefined);
    call.end(body);
    const answer = once(call, "response").then(async ([response]: IncomingMessage[]) => {
      if (response === undefined) throw new Error("no response");
      const { "retry-after": retryAfter, connection } = response.headers;
      const answered = JSON.parse(await text(response));
      return { status: response.statusCode, retryAfter, connection, body: answered };
    });
    // Rejects if a test disconnects.
    answer.catch(() => undefined);
    return { answer, hangUp: () => call.destroy() };
  };
  const post = (body: object, path = CHATS) => {
    const payload = Buffer.from(JSON.stringify(body));
    const headers = { "content-type": "application/json", "content-length": `${payload.length}` };
    return send(path, payload, headers);
  };
  const postChunked = (body: object) =>
    send(CHATS, Buffer.from(JSON.stringify(body)), {
      "content-type": "application/json",
      "transfer-encoding": "chunked",
    });
  const prepared = (count: number) => eventually(() => expect(engine.requests).toHaveLength(count));
  const waiting = (count: number) => eventually(() => expect(memory.waiting).toBe(count));
  const taken = (bytes: number) => eventually(() => expect(memory.usedBytes).toBe(bytes));
  const endOne = async () => {
    const end = await eventually(() => ends.shift() ?? expect.fail("nothing is answered"));
    end();
  };
  const endAll = () => {
    answers = "ended";
    for (const end of ends.splice(0)) end();
  };
  return { engine, memory, send, post, postChunked, prepared, waiting, taken, endOne, endAll };
}

describe("a large body", () => {
  it("reserves memory until its answer has ended", async () => {
    const { post, prepared, memory, endOne, taken } = await appWith();
    const { answer } = post(chat);
    await prepared(1);
    expect(memory.usedBytes).toBe(TAKEN);
    await endOne();
    expect((await answer).status).toBe(200);
    await taken(0);
  });

  it("waits for memory before it is read, until another answer ends", async () => {
    const { post, prepared, waiting, endOne, engine, taken } = await appWith();
    const first = post(chat);
    await prepared(1);
    const second = post(chat);
    await waiting(1);
    const others = post(small);
    await prepared(2);
    expect(engine.requests[1]?.prompt.messages).toEqual(small.messages);
    await endOne();
    expect((await first.answer).status).toBe(200);
    await prepared(3);
    for (let left = 2; left > 0; left--) await endOne();
    for (const { answer } of [second, others]) expect((await answer).status).toBe(200);
    await taken(0);
  });

  it("is rejected when the waiting limit has passed", async () => {
    const { post, prepared, memory } = await appWith({ waitingLimitMs: 1 });
    post(chat);
    await prepared(1);
    expect(await post(chat).answer).toMatchObject({
      status: 503,
      retryAfter: "5",
      body: {
        error: {
          code: "server_overloaded",
          message:
            "The memory for large bodies, images and audio is in use (--media-ram): none was free within 0.001 s.",
        },
      },
    });
    expect(memory).toMatchObject({ waiting: 0, usedBytes: TAKEN });
  });

  it("is rejected at once if it exceeds the memory limit", async () => {
    const { post, memory } = await appWith();
    const tooLarge = { messages: [{ role: "user", content: "x".repeat(2 * MIB) }] };
    const sizeBytes = JSON.stringify(tooLarge).length;
    expect(await post(tooLarge).answer).toMatchObject({
      status: 413,
      body: {
        error: {
          code: "payload_too_large",
          message: `body: expected at most ${Math.floor(LIMIT / 2.5)} bytes, because this server has ${LIMIT} bytes of memory for all bodies (--media-ram), got ${sizeBytes}.`,
        },
      },
    });
    expect(memory).toMatchObject({ waiting: 0, usedBytes: 0 });
  });

  it("releases its memory if the client disconnects during the answer", async () => {
    const { post, prepared, taken } = await appWith();
    const { hangUp } = post(chat);
    await prepared(1);
    hangUp();
    await taken(0);
  });

  it("does not delay other requests if its client disconnects while waiting", async () => {
    const { post, prepared, waiting, endAll, taken } = await appWith();
    const first = post(chat);
    await prepared(1);
    const second = post(chat);
    await waiting(1);
    const third = post(chat);
    await waiting(2);
    second.hangUp();
    endAll();
    for (const { answer } of [first, third]) expect((await answer).status).toBe(200);
    await taken(0);
  });

  it("with chunked encoding reserves memory for the maximum size, then for its actual size", async () => {
    const { postChunked, post, prepared, waiting, endAll, taken } = await appWith({
      limitBytes: 2.5 * 4 * MIB,
    });
    const held = post(chat);
    await prepared(1);
    const large = postChunked(chat);
    await waiting(1);
    postChunked(small);
    await prepared(2);
    held.hangUp();
    await prepared(3);
    await taken(TAKEN);
    endAll();
    expect((await large.answer).status).toBe(200);
    await taken(0);
  });

  it("with chunked encoding is rejected if the maximum size exceeds the memory limit", async () => {
    const { postChunked, taken } = await appWith();
    const { status, connection } = await postChunked(chat).answer;
    expect({ status, connection }).toEqual({ status: 413, connection: "close" });
    await taken(0);
  });

  it("releases its memory if the request is rejected", async () => {
    const { post, taken } = await appWith();
    const { answer } = post({ ...chat, temperature: "hot" });
    expect((await answer).status).toBe(400);
    await taken(0);
  });

  it("of a background response reserves memory until the response has ended", async () => {
    const { post, prepared, endOne, memory, taken } = await appWith();
    const body = { input: "x".repeat(MIB), background: true };
    expect(await post(body, RESPONSES).answer).toMatchObject({ body: { status: "queued" } });
    await prepared(1);
    expect(memory.usedBytes).toBe(takenBy(body));
    await endOne();
    await taken(0);
  });
});

it("a form with a file reserves memory", async () => {
  const { send, prepared, waiting, endOne, taken } = await appWith();
  const encoded = new Response(formOf({ file: new Blob([Buffer.alloc(MIB, 7)]) }));
  const form = Buffer.from(await encoded.arrayBuffer());
  const headers = {
    "content-type": encoded.headers.get("content-type") ?? "",
    "content-length": `${form.length}`,
  };
  const sendForm = () => send("/v1/audio/transcriptions", form, headers);
  const first = sendForm();
  await prepared(1);
  const second = sendForm();
  await waiting(1);
  for (const { answer } of [first, second]) {
    await endOne();
    expect((await answer).status).toBe(200);
  }
  await taken(0);
});
