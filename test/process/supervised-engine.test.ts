import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Engine } from "../../src/core/engine.js";
import type { EngineStatistics } from "../../src/core/engine-statistics.js";
import type { GenerationRequest } from "../../src/core/generation-request.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import type { PreparedGeneration } from "../../src/engine/text/prompt/prepared-generation.js";
import type { ChannelListener } from "../../src/process/process-channel.js";
import type { FromPreparer, ToPreparer } from "../../src/process/protocol.js";
import { SupervisedEngine } from "../../src/process/supervised-engine.js";
import { restartBackoffMs } from "../../src/process/supervisor.js";
import { engineSettings as settings } from "../support/engine-settings.js";
import { eventually } from "../support/eventually.js";
import { plainReading } from "../support/plain-reading.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { someAdapter } from "../support/some-adapter.js";
import { startRequest } from "../support/start-request.js";
import { SimulatedProcesses } from "./simulated-channel.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Delivers all messages without advancing the clock. */
const settled = () => vi.advanceTimersByTimeAsync(0);

const request: GenerationRequest = {
  id: "a",
  prompt: {
    type: "chat",
    messages: [{ role: "user", content: "Hi" }],
    tools: [],
    templateVariables: {},
  },
  sampling: {},
  stopping: { minTokens: 0, stop: [], ignoreEos: false },
};

const scripted = async (): Promise<Engine> => new ScriptedEngine(() => ({ parts: [] }));

async function supervise(load: (settings: EngineSettings) => Promise<Engine> = scripted) {
  const processes = new SimulatedProcesses(load);
  const log = vi.fn();
  const onCrash = vi.fn();
  const onRestored = vi.fn();
  const hooks = { log, onProgress: vi.fn() };
  const engine = await SupervisedEngine.start({
    open: processes.open,
    settings,
    hooks,
    onCrash,
    onRestored,
  });
  const crash = async () => {
    const lost = onCrash.mock.calls.length;
    processes.latest.crash("SIGABRT");
    await settled();
    expect(onCrash).toHaveBeenCalledTimes(lost + 1);
  };
  const restored = async (times: number) => {
    await settled();
    expect(onRestored).toHaveBeenCalledTimes(times);
  };
  return { engine, processes, log, onCrash, crash, restored };
}

describe("the restart backoff", () => {
  it("doubles from half a second to half a minute", () => {
    const backoffs = [1, 2, 3, 4, 5, 6, 7, 8, 100].map(restartBackoffMs);
    expect(backoffs).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });
});

describe("a supervised engine", () => {
  it("is restarted after a crash and serves requests again", async () => {
    const { engine, processes, log, crash, restored } = await supervise();
    await crash();
    await expect(engine.prepare(request)).rejects.toMatchObject({ code: "model_unavailable" });
    expect(engine.description.model.name).toBe("Scripted");
    expect(log).toHaveBeenCalledWith("error", "the engine process exited (SIGABRT)");
    await vi.advanceTimersByTimeAsync(499);
    expect(processes.started).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    await restored(1);
    expect(processes.started).toHaveLength(2);
    expect((await engine.prepare(request)).promptTokens).toBe(2);
  });

  it("backs off further after consecutive crashes, and resets the backoff after an answer", async () => {
    const { engine, processes, crash, restored } = await supervise();
    await crash();
    await vi.advanceTimersByTimeAsync(500);
    await restored(1);
    await crash();
    await vi.advanceTimersByTimeAsync(999);
    expect(processes.started).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    await restored(2);
    const types: string[] = [];
    await startRequest(engine, request, ({ type }) => types.push(type));
    await eventually(() => {
      processes.latest.endStep();
      expect(types.at(-1)).toBe("finished");
    });
    await crash();
    await vi.advanceTimersByTimeAsync(500);
    await restored(3);
  });

  it("restarts with the adapters that were loaded", async () => {
    const started: (readonly [string, ...string[]])[] = [];
    const { engine, crash, restored } = await supervise(async ({ adapters, failingAdapters }) => {
      started.push([failingAdapters, ...adapters.map(({ name }) => name)]);
      const loaded = adapters.map(({ name }) => someAdapter(name));
      return new ScriptedEngine(() => ({ parts: [] }), { adapters: loaded });
    });
    await engine.adapt({ type: "load", adapter: someAdapter("a") });
    await engine.adapt({ type: "load", adapter: someAdapter("b") });
    await engine.adapt({ type: "unload", name: "a" });
    await crash();
    await vi.advanceTimersByTimeAsync(500);
    await restored(1);
    expect(started).toEqual([["end-the-start"], ["are-left-out", "b"]]);
    await crash();
    await vi.advanceTimersByTimeAsync(1000);
    await restored(2);
    expect(started.at(-1)).toEqual(["are-left-out", "b"]);
  });

  it("keeps only the adapters that the last start could load", async () => {
    const started: string[][] = [];
    const { engine, crash, restored } = await supervise(async ({ adapters }) => {
      started.push(adapters.map(({ name }) => name));
      const loaded = adapters
        .filter(({ name }) => name !== "gone")
        .map(({ name }) => someAdapter(name));
      return new ScriptedEngine(() => ({ parts: [] }), { adapters: loaded });
    });
    await engine.adapt({ type: "load", adapter: someAdapter("gone") });
    await engine.adapt({ type: "load", adapter: someAdapter("there") });
    await crash();
    await vi.advanceTimersByTimeAsync(500);
    await restored(1);
    expect(engine.description.adapters?.map(({ name }) => name)).toEqual(["there"]);
    await crash();
    await vi.advanceTimersByTimeAsync(1000);
    await restored(2);
    expect(started).toEqual([[], ["gone", "there"], ["there"]]);
  });

  it("retries when the restart itself fails", async () => {
    let loads = 0;
    const { log, crash, restored } = await supervise(async () => {
      loads += 1;
      if (loads === 2) throw new Error("no memory");
      return scripted();
    });
    await crash();
    await vi.advanceTimersByTimeAsync(500);
    await settled();
    expect(log).toHaveBeenCalledWith("error", "the engine cannot be restarted: no memory");
    await vi.advanceTimersByTimeAsync(1000);
    await restored(1);
  });

  it("has the description and statistics of the new process after a restart", async () => {
    let loads = 0;
    const { engine, crash, restored } = await supervise(async () => {
      loads += 1;
      const loaded = new ScriptedEngine(() => ({ parts: [] }), { slots: loads });
      const statistics = { promptTokens: loads } as EngineStatistics;
      return loads === 2 ? loaded : Object.assign(loaded, { statistics });
    });
    await settled();
    expect([engine.description.slots, engine.statistics?.promptTokens]).toEqual([1, 1]);
    await crash();
    expect(engine.statistics).toBeUndefined();
    await vi.advanceTimersByTimeAsync(500);
    await restored(1);
    // This engine has not reported yet.
    expect([engine.description.slots, engine.statistics]).toEqual([2, undefined]);
  });

  it("fails requests in flight before reporting the crash", async () => {
    const order: string[] = [];
    const { engine, processes, onCrash } = await supervise(
      async () => new ScriptedEngine(() => ({ parts: [], ending: "never" })),
    );
    onCrash.mockImplementation(() => order.push("owner"));
    await startRequest(engine, request, ({ type }) => order.push(type));
    await settled();
    processes.latest.crash("SIGABRT");
    await settled();
    expect(order).toEqual(["failed", "owner"]);
  });

  it("kills the loading process when it is closed", async () => {
    let loads = 0;
    const { engine, processes, log, crash } = await supervise(() => {
      loads += 1;
      return loads === 1 ? scripted() : new Promise(() => undefined);
    });
    await crash();
    await vi.advanceTimersByTimeAsync(500);
    expect(processes.started).toHaveLength(2);
    await engine.close();
    expect(processes.latest.hasEnded()).toBe(true);
    expect(log).not.toHaveBeenCalledWith("error", expect.stringContaining("cannot be restarted"));
  });

  it("is not restarted after it was closed", async () => {
    const { engine, processes, crash } = await supervise();
    await crash();
    await engine.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(processes.started).toHaveLength(1);
  });

  it("fails to start if the first load fails", async () => {
    await expect(supervise(() => Promise.reject(new Error("no such file")))).rejects.toThrow(
      "no such file",
    );
  });
});

const preparerLoaded = { type: "loaded", description: undefined } as const;

it("the preparer process uses the same tool format as the engine", async () => {
  const { open } = new SimulatedProcesses(scripted);
  const sent: ToPreparer[] = [];
  const engine = await SupervisedEngine.start({
    open,
    openPreparer: (listener) => ({
      send: (message) => {
        sent.push(message);
        if (message.type === "load") queueMicrotask(() => listener.onMessage(preparerLoaded));
      },
      kill: vi.fn(),
      showOutput: vi.fn(),
    }),
    settings: { ...settings, toolFormat: "glm" },
    hooks: { log: vi.fn(), onProgress: vi.fn() },
    onCrash: vi.fn(),
    onRestored: vi.fn(),
  });
  expect(sent).toEqual([
    { type: "load", settings: expect.objectContaining({ toolFormat: "glm", contextSize: 100 }) },
  ]);
  await engine.close();
});

it("an engine that starts its preparer on demand answers calls before the preparer is ready", async () => {
  const { open } = new SimulatedProcesses(scripted);
  const opened: unknown[] = [];
  const engine = await SupervisedEngine.start({
    open,
    openPreparer: (listener) => {
      opened.push(listener);
      return { send: vi.fn(), kill: vi.fn(), showOutput: vi.fn() };
    },
    preparerStart: "on-demand",
    settings,
    hooks: { log: vi.fn(), onProgress: vi.fn() },
    onCrash: vi.fn(),
    onRestored: vi.fn(),
  });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(opened).toEqual([]);
  const question = { type: "detokenize", tokens: [72, 105] } as const;
  expect(await engine.ask(question)).toEqual({ type: "text", text: "Hi" });
  expect(opened).toHaveLength(1);
  await engine.close();
});

it("tokenisation moves to the preparer process as soon as it is ready", async () => {
  const { open } = new SimulatedProcesses(scripted);
  const sent: ToPreparer[] = [];
  const listeners: ChannelListener<FromPreparer>[] = [];
  const starting = SupervisedEngine.start({
    open,
    openPreparer: (listener) => {
      listeners.push(listener);
      return { send: (message) => sent.push(message), kill: vi.fn(), showOutput: vi.fn() };
    },
    settings,
    hooks: { log: vi.fn(), onProgress: vi.fn() },
    onCrash: vi.fn(),
    onRestored: vi.fn(),
  });
  // Starting the engine waits at most this long for the preparer.
  await vi.advanceTimersByTimeAsync(5000);
  const engine = await starting;
  const question = { type: "detokenize", tokens: [72, 105] } as const;
  expect(await engine.ask(question)).toEqual({ type: "text", text: "Hi" });
  expect(sent.map(({ type }) => type)).toEqual(["load"]);
  listeners[0]?.onMessage(preparerLoaded);
  const asked = engine.ask(question);
  expect(sent.at(-1)).toMatchObject({ method: "ask", args: [question] });
  listeners[0]?.onMessage({
    type: "returned",
    callId: 0,
    result: { type: "text", text: "from there" },
  });
  expect(await asked).toEqual({ type: "text", text: "from there" });
  await engine.close();
});

it("a prepared request is handed to the engine when its generation starts, and released otherwise", async () => {
  const handedOver: string[] = [];
  class Engine extends ScriptedEngine {
    hold({ id }: PreparedGeneration): void {
      handedOver.push(id);
      // The input of the preparation is irrelevant here.
      void this.prepare({ ...request, id });
    }
  }
  const scriptedEngine = new Engine(() => ({ parts: [] }));
  const processes = new SimulatedProcesses(async () => scriptedEngine);
  const { open } = processes;
  const listeners: ChannelListener<FromPreparer>[] = [];
  const engine = await SupervisedEngine.start({
    open,
    openPreparer: (listener) => {
      listeners.push(listener);
      const send = (message: ToPreparer) => {
        if (message.type === "load") queueMicrotask(() => listener.onMessage(preparerLoaded));
      };
      return { send, kill: vi.fn(), showOutput: vi.fn() };
    },
    settings,
    hooks: { log: vi.fn(), onProgress: vi.fn() },
    onCrash: vi.fn(),
    onRestored: vi.fn(),
  });
  const large = (id: string): GenerationRequest => ({
    ...request,
    id,
    prompt: { type: "text", text: "x".repeat(10_000) },
  });
  const answers = ["started", "given-up"].map((id) => engine.prepare(large(id)));
  // Large prompts wait until the preparer has started.
  await new Promise(setImmediate);
  for (const [callId, id] of ["started", "given-up"].entries()) {
    const result = { ...large(id), promptTokens: [1, 2, 3], reading: plainReading, maxTokens: 4 };
    listeners[0]?.onMessage({ type: "returned", callId, result });
  }
  expect(await Promise.all(answers)).toEqual([
    { id: "started", promptTokens: 3, maxTokens: 4 },
    { id: "given-up", promptTokens: 3, maxTokens: 4 },
  ]);
  engine.release("given-up");
  expect(scriptedEngine.requests).toEqual([]);
  for (const id of ["0", "1"]) engine.start({ id, requestId: "started", seed: 1 }, () => undefined);
  await settled();
  expect([handedOver, scriptedEngine.started]).toEqual([["started"], ["0", "1"]]);
  expect(scriptedEngine.held).toEqual(["started"]);
  engine.release("started");
  await settled();
  expect(scriptedEngine.held).toEqual([]);
  await engine.close();
});
