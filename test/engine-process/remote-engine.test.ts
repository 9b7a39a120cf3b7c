import { describe, expect, it, vi } from "vitest";
import type { Engine } from "../../src/core/engine.js";
import { GgufdError } from "../../src/core/errors.js";
import type { GenerationEvent } from "../../src/core/generation-event.js";
import type { GenerationRequest } from "../../src/core/generation-request.js";
import { StartupError } from "../../src/core/startup-error.js";
import { RemoteEngine } from "../../src/engine-process/remote-engine.js";
import { engineSettings as settings } from "../support/engine-settings.js";
import { type Script, ScriptedEngine } from "../support/scripted-engine.js";
import { SimulatedProcesses } from "./simulated-channel.js";

const request = (id: string, fields: Partial<GenerationRequest> = {}): GenerationRequest => ({
  id,
  prompt: { messages: [{ role: "user", content: "Hi" }], tools: [], templateVariables: {} },
  sampling: {},
  stopping: { minTokens: 0, stop: [], ignoreEos: false },
  ...fields,
});

async function startOver(load: () => Promise<Engine>) {
  const processes = new SimulatedProcesses(load);
  const hooks = { log: vi.fn(), onProgress: vi.fn() };
  const onLost = vi.fn();
  const engine = await RemoteEngine.start({ open: processes.open, settings, hooks, onLost });
  return { engine, processes, hooks, onLost };
}

const startScripted = (script: () => Script) => startOver(async () => new ScriptedEngine(script));

async function begin(engine: Engine, id: string): Promise<GenerationEvent[]> {
  const events: GenerationEvent[] = [];
  engine.start(await engine.prepare(request(id)), (event) => events.push(event));
  return events;
}

describe("an engine in another process", () => {
  it("has the description of the engine there, and reports how its loading goes", async () => {
    const { engine, hooks } = await startScripted(() => ({ pieces: [] }));
    expect(engine.description.model.name).toBe("Scripted");
    expect(hooks.onProgress).toHaveBeenCalledWith(0.5);
  });

  it("fails to start with the words of what went wrong there", async () => {
    const failing = startOver(() => Promise.reject(new StartupError("model x: not a GGUF file")));
    await expect(failing).rejects.toThrow(new StartupError("model x: not a GGUF file"));
  });

  it("fails to start when the process ends while it loads", async () => {
    const processes = new SimulatedProcesses(() => new Promise(() => undefined));
    const hooks = { log: vi.fn(), onProgress: vi.fn() };
    const onLost = vi.fn();
    const starting = RemoteEngine.start({ open: processes.open, settings, hooks, onLost });
    processes.latest.crash("SIGABRT");
    await expect(starting).rejects.toThrow(/ended while loading: SIGABRT/);
    expect(onLost).not.toHaveBeenCalled();
  });

  it("prepares requests, biases of logits and all", async () => {
    const { engine } = await startScripted(() => ({ pieces: [] }));
    const logitBias = new Map([[7, Number.NEGATIVE_INFINITY]]);
    const prepared = await engine.prepare(request("a", { sampling: { logitBias } }));
    expect(prepared.promptTokens).toEqual([72, 105]);
    expect(prepared.sampling.logitBias).toEqual(logitBias);
  });

  it("refuses a request with the error that the engine there had, whole", async () => {
    const { engine } = await startScripted(() => ({ pieces: [] }));
    const prompt = {
      messages: [{ role: "user" as const, content: "x".repeat(200) }],
      tools: [],
      templateVariables: {},
    };
    const refusal = await engine.prepare(request("a", { prompt })).catch((error) => error);
    expect(refusal).toBeInstanceOf(GgufdError);
    expect(refusal).toMatchObject({ code: "context_length_exceeded", param: "messages" });
  });

  it("sends what all generations told in a step in one message", async () => {
    const { engine, processes } = await startScripted(() => ({ pieces: ["x", "y"] }));
    const a = await begin(engine, "a");
    const b = await begin(engine, "b");
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

  it("hands on a failure of a generation as the error it was", async () => {
    const error = new GgufdError("invalid_request", "no", { param: "x", retryAfterSeconds: 3 });
    const { engine, processes } = await startScripted(() => ({ pieces: [], ending: error }));
    const events = await begin(engine, "a");
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
    const { engine, processes } = await startScripted(() => ({ pieces: [], ending: "never" }));
    const events = await begin(engine, "a");
    engine.cancel("a");
    engine.cancel("nobody");
    await vi.waitFor(() => {
      processes.latest.endStep();
      expect(events).toEqual([{ type: "cancelled" }]);
    });
  });

  it("fails everything once when the process dies, and refuses what comes later", async () => {
    const { engine, processes, onLost } = await startScripted(() => ({
      pieces: [],
      ending: "never",
    }));
    const a = await begin(engine, "a");
    const b = await begin(engine, "b");
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
    const reading = { beginsWith: "anything", toolCalls: "ignored" } as const;
    engine.start({ ...prepared, reading }, (event) => late.push(event));
    expect(late).toEqual([]);
    await vi.waitFor(() => expect(late).toMatchObject([{ type: "failed" }]));
  });

  it("closes the engine there, ends the process, and is not lost by that", async () => {
    const { engine, processes, onLost } = await startScripted(() => ({
      pieces: [],
      ending: "never",
    }));
    const events = await begin(engine, "a");
    await engine.close();
    expect(processes.latest.sent.at(-1)).toEqual({ type: "closed" });
    expect(events).toHaveLength(1);
    expect(onLost).not.toHaveBeenCalled();
    await engine.close();
  });
});
