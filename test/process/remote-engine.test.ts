import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Engine } from "../../src/core/engine.js";
import type { EngineStatistics } from "../../src/core/engine-statistics.js";
import { createRefusal, GgufdError } from "../../src/core/errors.js";
import type { GenerationEvent } from "../../src/core/generation-event.js";
import type { GenerationRequest } from "../../src/core/generation-request.js";
import type { SlotCommand } from "../../src/core/slot-command.js";
import { StartupError } from "../../src/core/startup-error.js";
import { RemoteEngine } from "../../src/process/remote-engine.js";
import { engineSettings as settings } from "../support/engine-settings.js";
import { eventually } from "../support/eventually.js";
import { deferred, type Script, ScriptedEngine } from "../support/scripted-engine.js";
import { startRequest } from "../support/start-request.js";
import { SimulatedProcesses } from "./simulated-channel.js";

const request = (id: string, fields: Partial<GenerationRequest> = {}): GenerationRequest => ({
  id,
  prompt: {
    type: "chat",
    messages: [{ role: "user", content: "Hi" }],
    tools: [],
    templateVariables: {},
  },
  sampling: {},
  stopping: { minTokens: 0, stop: [], ignoreEos: false },
  ...fields,
});

async function startRemote(load: () => Promise<Engine>, watchdogSeconds?: number) {
  const processes = new SimulatedProcesses(load);
  const hooks = { log: vi.fn(), onProgress: vi.fn() };
  const onCrash = vi.fn();
  const engine = await RemoteEngine.start({
    open: processes.open,
    settings,
    hooks,
    onCrash,
    ...(watchdogSeconds !== undefined && { watchdogSeconds }),
  });
  return { engine, processes, hooks, onCrash };
}

const startScripted = (script: () => Script) => startRemote(async () => new ScriptedEngine(script));

async function startGeneration(engine: Engine, id: string): Promise<GenerationEvent[]> {
  const events: GenerationEvent[] = [];
  await startRequest(engine, request(id), (event) => events.push(event));
  return events;
}

describe("a remote engine", () => {
  it("has the description of the engine in the other process, and reports its loading progress", async () => {
    const { engine, hooks } = await startScripted(() => ({ parts: [] }));
    expect(engine.description.model.name).toBe("Scripted");
    expect(hooks.onProgress).toHaveBeenCalledWith(0.5);
  });

  it("restarts with several native threads if all layers are on the GPU", async () => {
    const processes = new SimulatedProcesses(
      async () => new ScriptedEngine(() => ({ parts: ["a"] })),
      "all-layers",
    );
    const hooks = { log: vi.fn(), onProgress: vi.fn() };
    const onCrash = vi.fn();
    const engine = await RemoteEngine.start({ open: processes.open, settings, hooks, onCrash });
    expect(processes.started.map(({ nativeThreads }) => nativeThreads)).toEqual(["one", "several"]);
    expect(onCrash).not.toHaveBeenCalled();
    const events = await startGeneration(engine, "g");
    await eventually(() => {
      processes.latest.endStep();
      expect(events.at(-1)?.type).toBe("finished");
    });
  });

  it.each(["none", "some-layers"] as const)(
    'keeps a single native thread with the offloading "%s"',
    async (offloading) => {
      const load = async () => new ScriptedEngine(() => ({ parts: [] }));
      const processes = new SimulatedProcesses(load, offloading);
      const hooks = { log: vi.fn(), onProgress: vi.fn() };
      await RemoteEngine.start({ open: processes.open, settings, hooks, onCrash: vi.fn() });
      expect(processes.started).toHaveLength(1);
    },
  );

  it("fails to start with the error message of the engine", async () => {
    const failing = startRemote(() => Promise.reject(new StartupError("model x: not a GGUF file")));
    await expect(failing).rejects.toThrow(new StartupError("model x: not a GGUF file"));
  });

  it("fails to start if the process exits while loading", async () => {
    const processes = new SimulatedProcesses(() => new Promise(() => undefined));
    const hooks = { log: vi.fn(), onProgress: vi.fn() };
    const onCrash = vi.fn();
    const starting = RemoteEngine.start({ open: processes.open, settings, hooks, onCrash });
    processes.latest.crash("SIGABRT");
    await expect(starting).rejects.toMatchObject({
      name: "ProcessEndedError",
      message: expect.stringMatching(/^model .*: cannot be loaded: its process has ended: SIGABRT/),
    });
    expect(onCrash).not.toHaveBeenCalled();
  });

  it("prepares requests, including logit biases", async () => {
    const scripted = new ScriptedEngine(() => ({ parts: [] }));
    const { engine } = await startRemote(async () => scripted);
    const logitBias = new Map([[7, Number.NEGATIVE_INFINITY]]);
    const prepared = await engine.prepare(request("a", { sampling: { logitBias } }));
    expect(prepared.promptTokens).toBe(2);
    expect(scripted.requests[0]?.sampling.logitBias).toEqual(logitBias);
  });

  it("rejects a request with the complete error of the engine", async () => {
    const { engine } = await startScripted(() => ({ parts: [] }));
    const prompt = {
      type: "chat" as const,
      messages: [{ role: "user" as const, content: "x".repeat(200) }],
      tools: [],
      templateVariables: {},
    };
    const rejection = await engine.prepare(request("a", { prompt })).catch((error) => error);
    expect(rejection).toBeInstanceOf(GgufdError);
    expect(rejection).toMatchObject({
      code: "context_length_exceeded",
      param: "messages",
      exceeded: { promptTokens: 200, contextSize: 100 },
    });
  });

  it("tokenises and detokenises text", async () => {
    const { engine } = await startScripted(() => ({ parts: [] }));
    expect(await engine.ask({ type: "detokenize", tokens: [72, 105] })).toEqual({
      type: "text",
      text: "Hi",
    });
  });

  it("lists slots, and executes slot commands", async () => {
    const onCommand = ({ slot }: SlotCommand) => {
      if (slot === 1) throw createRefusal("invalid_request", [{ field: "id_slot", reason: "no" }]);
    };
    const load = async () => new ScriptedEngine(() => ({ parts: [] }), { onCommand });
    const { engine, processes } = await startRemote(load);
    expect(await engine.slots()).toEqual([{ heldTokens: 0 }, { heldTokens: 0 }]);
    expect(await engine.command({ action: "erase", slot: 0 })).toMatchObject({ tokens: 5 });
    await expect(engine.command({ action: "erase", slot: 1 })).rejects.toMatchObject({
      code: "invalid_request",
      param: "id_slot",
    });
    processes.latest.crash("SIGABRT");
    const lost = { code: "model_unavailable" };
    await expect(engine.command({ action: "erase", slot: 0 })).rejects.toMatchObject(lost);
    await expect(engine.slots()).rejects.toMatchObject(lost);
  });

  it("receives the events of all generations of a step in one message", async () => {
    const { engine, processes } = await startScripted(() => ({ parts: ["x", "y"] }));
    const a = await startGeneration(engine, "a");
    const b = await startGeneration(engine, "b");
    await eventually(() => {
      processes.latest.endStep();
      expect(a.at(-1)?.type).toBe("finished");
      expect(b.at(-1)?.type).toBe("finished");
    });
    expect(a.map(({ type }) => type)).toEqual(["text-delta", "text-delta", "finished"]);
    expect(b).toHaveLength(3);
    const messages = processes.latest.sent.filter(({ type }) => type === "events");
    expect(messages.length).toBeLessThan(6);
  });

  it("forwards a failed generation with the original error", async () => {
    const error = new GgufdError("invalid_request", "no", { param: "x", retryAfterSeconds: 3 });
    const { engine, processes } = await startScripted(() => ({ parts: [], ending: error }));
    const events = await startGeneration(engine, "a");
    await eventually(() => {
      processes.latest.endStep();
      expect(events).toHaveLength(1);
    });
    expect(events[0]).toMatchObject({ type: "failed" });
    expect(events[0]?.type === "failed" && events[0].error).toMatchObject({
      code: "invalid_request",
      message: "no",
      param: "x",
      retryAfterSeconds: 3,
    });
  });

  it("cancels a generation by id", async () => {
    const { engine, processes } = await startScripted(() => ({ parts: [], ending: "never" }));
    const events = await startGeneration(engine, "a");
    engine.cancel("a");
    engine.cancel("unknown");
    await eventually(() => {
      processes.latest.endStep();
      expect(events).toEqual([{ type: "cancelled" }]);
    });
  });

  it("fails all requests in flight once when the process crashes, and rejects later requests", async () => {
    const { engine, processes, onCrash } = await startScripted(() => ({
      parts: [],
      ending: "never",
    }));
    const a = await startGeneration(engine, "a");
    const b = await startGeneration(engine, "b");
    const preparing = engine.prepare(request("c"));
    processes.latest.crash("SIGABRT");
    await expect(preparing).rejects.toMatchObject({ code: "model_unavailable" });
    for (const events of [a, b]) {
      expect(events).toMatchObject([{ type: "failed", error: { code: "model_unavailable" } }]);
    }
    expect(onCrash).toHaveBeenCalledExactlyOnceWith("SIGABRT");

    await expect(engine.prepare(request("d"))).rejects.toMatchObject({ status: 503 });
    const late: GenerationEvent[] = [];
    engine.start({ id: "e", requestId: "e", seed: 1 }, (event) => late.push(event));
    expect(late).toEqual([]);
    await eventually(() => expect(late).toMatchObject([{ type: "failed" }]));
  });

  it("closes the engine and its process without reporting a crash", async () => {
    const { engine, processes, onCrash } = await startScripted(() => ({
      parts: [],
      ending: "never",
    }));
    const events = await startGeneration(engine, "a");
    await engine.close();
    expect(processes.latest.sent.at(-1)).toEqual({ type: "closed" });
    expect(events).toHaveLength(1);
    expect(onCrash).not.toHaveBeenCalled();
    await engine.close();
  });
});

const modelUnavailable = [{ type: "failed", error: { code: "model_unavailable" } }];
const endless = () => startRemote(async () => new ScriptedEngine(endlessScript), 5);
const endlessScript = (): Script => ({ parts: [], ending: "never" });

describe("a hanging process", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is killed if it has work but sends no messages", async () => {
    const { engine, processes, onCrash } = await endless();
    const generations = [await startGeneration(engine, "a"), await startGeneration(engine, "b")];
    processes.latest.freeze();
    const call = engine.prepare(request("c"));
    const refused = expect(call).rejects.toMatchObject({ code: "model_unavailable" });
    await vi.advanceTimersByTimeAsync(5000);
    expect(onCrash).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1000);
    await refused;
    for (const events of generations) expect(events).toMatchObject(modelUnavailable);
    expect(onCrash).toHaveBeenCalledExactlyOnceWith(
      "killed: no sign of life for 5 s with 2 generations in flight",
    );
    await engine.close();
  });

  it("is killed if no step ends, although it responds to calls", async () => {
    const { engine, onCrash } = await endless();
    const events = await startGeneration(engine, "a");
    await vi.advanceTimersByTimeAsync(2000);
    expect((await engine.prepare(request("b"))).promptTokens).toBe(2);
    await vi.advanceTimersByTimeAsync(4000);
    expect(onCrash).toHaveBeenCalledExactlyOnceWith(
      "killed: no step for 5 s with 1 generation in flight",
    );
    expect(events).toMatchObject(modelUnavailable);
  });

  it("is not killed while steps end, even without events", async () => {
    const { engine, processes, onCrash } = await endless();
    await startGeneration(engine, "a");
    for (let steps = 0; steps < 10; steps++) {
      await vi.advanceTimersByTimeAsync(4000);
      processes.latest.endStep(1);
    }
    expect(onCrash).not.toHaveBeenCalled();
  });

  it("is killed if its steps evaluate no tokens", async () => {
    const { engine, processes, onCrash } = await endless();
    await startGeneration(engine, "a");
    for (let seconds = 0; seconds < 6; seconds++) {
      processes.latest.endStep(0);
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(onCrash).toHaveBeenCalledOnce();
  });

  it("is reported as crashed immediately, and closing it does not wait indefinitely for its exit", async () => {
    const { engine, processes, onCrash } = await endless();
    const events = await startGeneration(engine, "a");
    processes.latest.freeze();
    processes.latest.makeUndead();
    await vi.advanceTimersByTimeAsync(6000);
    expect(onCrash).toHaveBeenCalledOnce();
    expect(events).toMatchObject(modelUnavailable);
    const closed = vi.fn();
    void engine.close().then(closed);
    await vi.advanceTimersByTimeAsync(4999);
    expect(closed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(closed).toHaveBeenCalledOnce();
  });

  it("is not pinged while it has no work", async () => {
    const { processes } = await endless();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(processes.latest.sent.map(({ type }) => type)).not.toContain("pong");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("closing a remote engine", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("kills an unresponsive process after three seconds, and rejects its pending calls", async () => {
    const { engine, processes, onCrash } = await endless();
    const events = await startGeneration(engine, "a");
    processes.latest.freeze();
    const closed = vi.fn();
    void engine.close().then(closed);
    await vi.advanceTimersByTimeAsync(2999);
    expect([closed.mock.calls.length, events.length]).toEqual([0, 0]);
    await vi.advanceTimersByTimeAsync(1);
    expect(closed).toHaveBeenCalledOnce();
    expect(events).toMatchObject(modelUnavailable);
    expect(onCrash).not.toHaveBeenCalled();
  });

  it("gives a responsive process time to save its states before killing it", async () => {
    const engineThatNeverCloses = new ScriptedEngine(endlessScript);
    engineThatNeverCloses.close = () => new Promise(() => undefined);
    const { engine } = await startRemote(async () => engineThatNeverCloses);
    const closed = vi.fn();
    void engine.close().then(closed);
    void engine.close().then(closed);
    await vi.advanceTimersByTimeAsync(9999);
    expect(closed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(closed).toHaveBeenCalledTimes(2);
  });

  it("leaves no timers", async () => {
    const { engine } = await endless();
    await startGeneration(engine, "a");
    await engine.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("loading a remote engine", () => {
  it("can be aborted, which kills the process", async () => {
    const processes = new SimulatedProcesses(() => new Promise(() => undefined));
    const hooks = { log: vi.fn(), onProgress: vi.fn() };
    const controller = new AbortController();
    const { signal } = controller;
    const onCrash = vi.fn();
    const starting = RemoteEngine.start({ open: processes.open, settings, hooks, onCrash, signal });
    controller.abort();
    await expect(starting).rejects.toThrow(/its process has ended: loading was cancelled/);
    expect(onCrash).not.toHaveBeenCalled();
  });

  it("ignores messages from a process that has been killed", async () => {
    let finishLoading: (engine: Engine) => void = () => undefined;
    const loaded = new Promise<Engine>((resolve) => {
      finishLoading = resolve;
    });
    const processes = new SimulatedProcesses(() => loaded);
    const hooks = { log: vi.fn(), onProgress: vi.fn() };
    const controller = new AbortController();
    const { signal } = controller;
    const onCrash = vi.fn();
    const starting = RemoteEngine.start({ open: processes.open, settings, hooks, onCrash, signal });
    await new Promise((next) => void setImmediate(next));
    processes.latest.makeUndead();
    controller.abort();
    await expect(starting).rejects.toThrow("loading was cancelled");
    finishLoading(new ScriptedEngine(endlessScript));
    await new Promise((next) => void setImmediate(next));
    expect(processes.latest.sent.map(({ type }) => type)).toContain("loaded");
    processes.latest.breakDown("the device is lost");
    await new Promise((next) => void setImmediate(next));
    expect(onCrash).not.toHaveBeenCalled();
  });
});

describe("an engine that reports a permanent failure", () => {
  it("is killed after its earlier events are delivered, and fails requests in flight", async () => {
    const { promise, resolve } = deferred();
    const script: Script = {
      parts: ["x", "y"],
      before: (index) => (index === 1 ? promise : undefined),
      ending: new GgufdError("internal_error", "the device is lost"),
    };
    const { engine, processes, onCrash } = await startScripted(() => script);
    const events = await startGeneration(engine, "a");
    await new Promise((next) => void setImmediate(next));
    processes.latest.breakDown("3 consecutive batches failed: the device is lost");
    resolve();
    await eventually(() => expect(onCrash).toHaveBeenCalled());
    expect(onCrash).toHaveBeenCalledExactlyOnceWith(
      "3 consecutive batches failed: the device is lost",
    );
    expect(events).toMatchObject([{ type: "text-delta", text: "x" }, ...modelUnavailable]);
    processes.latest.endStep();
    await new Promise((next) => void setImmediate(next));
    expect(events).toHaveLength(2);
  });
});

describe("engine statistics", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("are reported after loading, and at most once a second after steps", async () => {
    const counted = { promptTokens: 1 } as EngineStatistics;
    const scripted = Object.assign(new ScriptedEngine(endlessScript), { statistics: counted });
    const { engine, processes } = await startRemote(async () => scripted);
    await eventually(() => expect(engine.statistics).toEqual({ promptTokens: 1 }));
    scripted.statistics = { promptTokens: 2 } as EngineStatistics;
    for (let steps = 0; steps < 10; steps++) processes.latest.endStep(1);
    await vi.advanceTimersByTimeAsync(999);
    expect(engine.statistics).toEqual({ promptTokens: 1 });
    await vi.advanceTimersByTimeAsync(1);
    expect(engine.statistics).toEqual({ promptTokens: 2 });
    await vi.advanceTimersByTimeAsync(60_000);
    const told = processes.latest.sent.filter(({ type }) => type === "statistics");
    expect(told).toHaveLength(2);
    processes.latest.crash("SIGSEGV");
    await vi.advanceTimersByTimeAsync(0);
    expect(engine.statistics).toBeUndefined();
  });

  it("are undefined for an engine that has none", async () => {
    const { engine, processes } = await endless();
    processes.latest.endStep(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(engine.statistics).toBeUndefined();
  });
});
