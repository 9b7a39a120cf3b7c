import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createRefusal, GgufdError } from "../../src/core/errors.js";
import type { GenerationRequest } from "../../src/core/generation-request.js";
import type { ChunkedMedia, MediaPart } from "../../src/core/media.js";
import { mediaOfPrompt, replaceMedia } from "../../src/core/prompt-media.js";
import type { PreparedGeneration } from "../../src/engine/text/prompt/prepared-generation.js";
import { toErrorRecord } from "../../src/process/error-record.js";
import type { ChannelListener } from "../../src/process/process-channel.js";
import type { FromPreparer, ToPreparer } from "../../src/process/protocol.js";
import { SupervisedEngine } from "../../src/process/supervised-engine.js";
import { engineSettings as settings } from "../support/engine-settings.js";
import { plainReading } from "../support/plain-reading.js";
import { rejection } from "../support/refusal.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { IMAGE_FILE } from "../support/some-media.js";
import { SimulatedProcesses } from "./simulated-channel.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Delivers all messages without advancing the clock. */
const settled = () => vi.advanceTimersByTimeAsync(0);

const image: MediaPart = { type: "media", field: "messages.0.content.0", content: IMAGE_FILE };
const divided: ChunkedMedia = {
  type: "divided",
  segments: [{ type: "media", hash: `${IMAGE_FILE.hash}.0`, cells: 3, positions: 3 }],
};

/** @param text: long enough for the separate preparer process, or short */
const requestWith = (text: string): GenerationRequest => ({
  id: "a",
  prompt: {
    type: "chat",
    messages: [{ role: "user", content: [image, { type: "text", text }] }],
    tools: [],
    templateVariables: {},
  },
  sampling: {},
  stopping: { minTokens: 0, stop: [], ignoreEos: false },
});
const short = requestWith("Hi");
const long = requestWith("x".repeat(10_000));

const contentsOf = ({ prompt }: GenerationRequest) =>
  mediaOfPrompt(prompt).map(({ content }) => content.type);

/** Engine that records its operations on media. */
class MediaEngine extends ScriptedEngine {
  readonly calls: string[] = [];
  readonly #divide: () => Promise<ChunkedMedia>;

  constructor(divide: () => Promise<ChunkedMedia>) {
    super(() => ({ parts: [] }), { media: ["image"] });
    this.#divide = divide;
  }

  async divideMedia(request: GenerationRequest): Promise<GenerationRequest> {
    this.calls.push(`divide ${contentsOf(request)}`);
    const content = await this.#divide();
    return { ...request, prompt: replaceMedia(request.prompt, (part) => ({ ...part, content })) };
  }

  override prepare(request: GenerationRequest) {
    this.calls.push(`prepare ${contentsOf(request)}`);
    return super.prepare(request);
  }

  hold({ id }: PreparedGeneration): void {
    this.calls.push(`hold ${id}`);
  }

  override release(requestId: string): void {
    this.calls.push(`release ${requestId}`);
    super.release(requestId);
  }
}

async function supervise(divide: () => Promise<ChunkedMedia> = async () => divided) {
  const engines: MediaEngine[] = [];
  const processes = new SimulatedProcesses(async () => {
    const engine = new MediaEngine(divide);
    engines.push(engine);
    return engine;
  });
  const listeners: ChannelListener<FromPreparer>[] = [];
  const sent: ToPreparer[] = [];
  const engine = await SupervisedEngine.start({
    open: processes.open,
    openPreparer: (listener) => {
      listeners.push(listener);
      const send = (message: ToPreparer) => {
        sent.push(message);
        if (message.type !== "load") return;
        queueMicrotask(() => listener.onMessage({ type: "loaded", description: undefined }));
      };
      return { send, kill: vi.fn(), showOutput: vi.fn() };
    },
    settings,
    hooks: { log: vi.fn(), onProgress: vi.fn() },
    onCrash: vi.fn(),
    onRestored: vi.fn(),
  });
  const answer = (message: FromPreparer) => listeners.at(-1)?.onMessage(message);
  const calls = () => engines.map((one) => one.calls);
  /** Requests that the preparer process has received. */
  const askedElsewhere = () => sent.flatMap((one) => (one.type === "call" ? [one.args] : []));
  return { engine, processes, answer, calls, askedElsewhere };
}

describe("a request with media", () => {
  it("is chunked in the engine process, and prepared there if it is short", async () => {
    const { engine, calls, askedElsewhere } = await supervise();
    expect(await engine.prepare(short)).toMatchObject({ id: "a" });
    expect(calls()).toEqual([["divide file", "prepare divided"]]);
    expect(askedElsewhere()).toEqual([]);
    engine.release("a");
    await settled();
    expect(calls()).toEqual([["divide file", "prepare divided", "release a"]]);
    await engine.close();
  });

  it("is prepared in the separate process if it is long, chunked and without its files", async () => {
    const { engine, answer, calls, askedElsewhere } = await supervise();
    const prepared = engine.prepare(long);
    await settled();
    expect(calls()).toEqual([["divide file"]]);
    const [[asked] = []] = askedElsewhere();
    expect(contentsOf(asked as GenerationRequest)).toEqual(["divided"]);
    const { id, sampling, stopping } = long;
    const result = {
      id,
      sampling,
      stopping,
      promptTokens: [-1, 1],
      reading: plainReading,
      maxTokens: 4,
    };
    answer({ type: "returned", callId: 0, result });
    expect(await prepared).toEqual({ id: "a", promptTokens: 2, maxTokens: 4 });
    // The generation never started, but the engine process still holds the files.
    engine.release("a");
    await settled();
    expect(calls()).toEqual([["divide file", "release a"]]);
    await engine.close();
  });

  it("is chunked only if it contains media", async () => {
    const { engine, calls } = await supervise();
    const messages = [{ role: "user" as const, content: "Hi" }];
    await engine.prepare({
      ...short,
      prompt: { type: "chat", messages, tools: [], templateVariables: {} },
    });
    expect(calls()).toEqual([["prepare "]]);
    await engine.close();
  });
});

describe("the media of a request", () => {
  it("are released if preparing the request fails in the engine process", async () => {
    const { engine, calls } = await supervise();
    // More tokens than the context has.
    const refused = await rejection(engine.prepare(requestWith("x".repeat(200))));
    expect(refused.code).toBe("context_length_exceeded");
    await settled();
    expect(calls()).toEqual([["divide file", "prepare divided", "release a"]]);
    await engine.close();
  });

  it("are released if preparing the request fails in the separate process", async () => {
    const { engine, answer, calls } = await supervise();
    const prepared = rejection(engine.prepare(long));
    await settled();
    const error = toErrorRecord(new GgufdError("context_length_exceeded", "too long"));
    answer({ type: "threw", callId: 0, error });
    expect((await prepared).code).toBe("context_length_exceeded");
    await settled();
    expect(calls()).toEqual([["divide file", "release a"]]);
    await engine.close();
  });

  it("are rejected with the name of their field", async () => {
    const reason = "expected an image, got a file that is broken or cut off";
    const { engine, calls } = await supervise(async () => {
      throw createRefusal("invalid_request", [{ field: image.field, reason }]);
    });
    const refused = await rejection(engine.prepare(short));
    expect(refused).toMatchObject({
      code: "invalid_request",
      details: [{ field: image.field, reason }],
    });
    expect(calls()).toEqual([["divide file"]]);
    await engine.close();
  });
});

describe("a crash while media are chunked", () => {
  it("fails the request, which is not retried", async () => {
    const { engine, processes, calls } = await supervise(() => new Promise(() => undefined));
    const refused = rejection(engine.prepare(short));
    await settled();
    processes.latest.crash("SIGSEGV");
    await settled();
    expect(await refused).toMatchObject({ code: "crashes_engine" });
    await vi.advanceTimersByTimeAsync(500);
    expect(processes.started).toHaveLength(2);
    expect(calls()).toEqual([["divide file"], []]);
    await engine.close();
  });

  it("does not affect later requests, which may be retried", async () => {
    const { engine, processes } = await supervise();
    processes.latest.crash("SIGSEGV");
    await settled();
    expect((await rejection(engine.prepare(short))).code).toBe("model_unavailable");
    await engine.close();
  });

  it("does not affect requests whose media were already chunked, which may be retried", async () => {
    const { engine, processes } = await supervise();
    const refused = rejection(engine.prepare(long));
    await settled();
    processes.latest.crash("SIGSEGV");
    await settled();
    expect((await refused).code).toBe("model_unavailable");
    await engine.close();
  });
});
