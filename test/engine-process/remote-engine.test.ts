import { describe, expect, it, vi } from "vitest";
import type { Engine } from "../../src/core/engine.js";
import { GgufdError } from "../../src/core/errors.js";
import type { GenerationEvent } from "../../src/core/generation-event.js";
import type { GenerationRequest } from "../../src/core/generation-request.js";
import { StartupError } from "../../src/core/startup-error.js";
import { RemoteEngine } from "../../src/engine-process/remote-engine.js";
import { engineSettings as settings } from "../support/engine-settings.js";
import { plainReading } from "../support/plain-reading.js";
import { type Script, ScriptedEngine } from "../support/scripted-engine.js";
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

async function startRemote(load: () => Promise<Engine>) {
  const processes = new SimulatedProcesses(load);
  const hooks = { log: vi.fn(), onProgress: vi.fn() };
  const onLost = vi.fn();
  const engine = await RemoteEngine.start({ open: processes.open, settings, hooks, onLost });
  return { engine, processes, hooks, onLost };
}

const startScripted = (script: () => Script) => startRemote(async () => new ScriptedEngine(script));

async function startGeneration(engine: Engine, id: string): Promise<GenerationEvent[]> {
  const events: GenerationEvent[] = [];
  engine.start(await engine.prepare(request(id)), (event) => events.push(event));
  return events;
}

describe("an engine in another process", () => {
  it("has the description of the remote engine and reports its loading progress", async () => {
    const { engine, hooks } = await startScripted(() => ({ parts: [] }));
    expect(engine.description.model.name).toBe("Scripted");
    expect(hooks.onProgress).toHaveBeenCalledWith(0.5);
  });

  it("is started again with several native threads when a GPU computes everything", async () => {
    const processes = new SimulatedProcesses(
      async () => new ScriptedEngine(() => ({ parts: ["a"] })),
      "all-layers",
    );
    const hooks = { log: vi.fn(), onProgress: vi.fn() };
    const onLost = vi.fn();
    const engine = await RemoteEngine.start({ open: processes.open, settings, hooks, onLost });
    expect(processes.started.map(({ nativeThreads }) => nativeThreads)).toEqual(["one", "several"]);
    expect(onLost).not.toHaveBeenCalled();
    const events = await startGeneration(engine, "g");
    await vi.waitFor(() => {
      processes.latest.endStep();
      expect(events.at(-1)?.type).toBe("finished");
    });
  });

  it.each(["none", "some-layers"] as const)(
    "keeps its one native thread with %s on the GPU",
    async (offloading) => {
      const load = async () => new ScriptedEngine(() => ({ parts: [] }));
      const processes = new SimulatedProcesses(load, offloading);
      const hooks = { log: vi.fn(), onProgress: vi.fn() };
      await RemoteEngine.start({ open: processes.open, settings, hooks, onLost: vi.fn() });
      expect(processes.started).toHaveLength(1);
    },
  );

  it("fails to start with the error message of the remote engine", async () => {
    const failing = startRemote(() => Promise.reject(new StartupError("model x: not a GGUF file")));
    await expect(failing).rejects.toThrow(new StartupError("model x: not a GGUF file"));
  });

  it("fails to start when the process exits during loading", async () => {
    const processes = new SimulatedProcesses(() => new Promise(() => undefined));
    const hooks = { log: vi.fn(), onProgress: vi.fn() };
    const onLost = vi.fn();
    const starting = RemoteEngine.start({ open: processes.open, settings, hooks, onLost });
    processes.latest.crash("SIGABRT");
    await expect(starting).rejects.toThrow(/ended while loading: SIGABRT/);
    expect(onLost).not.toHaveBeenCalled();
  });

  it("prepares requests, including logit biases", async () => {
    const { engine } = await startScripted(() => ({ parts: [] }));
    const logitBias = new Map([[7, Number.NEGATIVE_INFINITY]]);
    const prepared = await engine.prepare(request("a", { sampling: { logitBias } }));
    expect(prepared.promptTokens).toEqual([72, 105]);
    expect(prepared.sampling.logitBias).toEqual(logitBias);
  });

  it("rejects a request with the complete error of the remote engine", async () => {
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
    });
  });

  it("answers questions about texts", async () => {
    const { engine } = await startScripted(() => ({ parts: [] }));
    expect(await engine.ask({ type: "detokenize", tokens: [72, 105] })).toEqual({
      type: "text",
      text: "Hi",
    });
  });

  it("sends the events of all generations of a step in one message", async () => {
    const { engine, processes } = await startScripted(() => ({ parts: ["x", "y"] }));
    const a = await startGeneration(engine, "a");
    const b = await startGeneration(engine, "b");
    await vi.waitFor(() => {
      processes.latest.endStep();
      expect(a.at(-1)?.type).toBe("finished");
      expect(b.at(-1)?.type).toBe("finished");
    });
    expect(a.map(({ type }) => type)).toEqual(["text-delta", "text-delta", "finished"]);
    expect(b).toHaveLength(3);
    const messages = processes.latest.sent.filter(({ type }) => type === "events");
    expect(messages.length).toBeLessThan(6);
  });

  it("forwards the failure of a generation as the original error", async () => {
    const error = new GgufdError("invalid_request", "no", { param: "x", retryAfterSeconds: 3 });
    const { engine, processes } = await startScripted(() => ({ parts: [], ending: error }));
    const events = await startGeneration(engine, "a");
    await vi.waitFor(() => {
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

  it("cancels by id", async () => {
    const { engine, processes } = await startScripted(() => ({ parts: [], ending: "never" }));
    const events = await startGeneration(engine, "a");
    engine.cancel("a");
    engine.cancel("unknown");
    await vi.waitFor(() => {
      processes.latest.endStep();
      expect(events).toEqual([{ type: "cancelled" }]);
    });
  });

  it("fails everything in flight once when the process crashes, and rejects later requests", async () => {
    const { engine, processes, onLost } = await startScripted(() => ({
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
    expect(onLost).toHaveBeenCalledExactlyOnceWith("SIGABRT");

    await expect(engine.prepare(request("d"))).rejects.toMatchObject({ status: 503 });
    const late: GenerationEvent[] = [];
    const prepared = { ...request("e"), promptTokens: [1], maxTokens: 1 };
    engine.start({ ...prepared, reading: plainReading }, (event) => late.push(event));
    expect(late).toEqual([]);
    await vi.waitFor(() => expect(late).toMatchObject([{ type: "failed" }]));
  });

  it("closes the remote engine and its process without reporting a loss", async () => {
    const { engine, processes, onLost } = await startScripted(() => ({
      parts: [],
      ending: "never",
    }));
    const events = await startGeneration(engine, "a");
    await engine.close();
    expect(processes.latest.sent.at(-1)).toEqual({ type: "closed" });
    expect(events).toHaveLength(1);
    expect(onLost).not.toHaveBeenCalled();
    await engine.close();
  });
});
