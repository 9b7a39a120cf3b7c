import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { GgufdError } from "../../src/core/errors.js";
import type { PoolingAnswer, PoolingEngine, PoolingRequest } from "../../src/core/pooling.js";
import { OtherKindError, StartupError } from "../../src/core/startup-error.js";
import type { PoolingHooks, PoolingSettings } from "../../src/engine/pooling-engine.js";
import { ModelHost } from "../../src/process/model-host.js";
import type { ToPooling } from "../../src/process/protocol.js";
import {
  type RemotePoolingOptions,
  SupervisedPooling,
} from "../../src/process/supervised-pooling.js";
import { restartBackoffMs } from "../../src/process/supervisor.js";
import { rejection } from "../support/refusal.js";

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Delivers all messages without advancing the clock. */
const settled = () => vi.advanceTimersByTimeAsync(0);

const request: PoolingRequest = {
  id: "a",
  inputs: [{ field: "input", content: { type: "text", text: "Hi" } }],
  overlongInputs: "refused",
};

/** Engine whose results are given by the test. */
class HeldEngine implements PoolingEngine {
  readonly description = { kind: "embedding", dimensions: 2 } as PoolingEngine["description"];
  answer: (answer: PoolingAnswer | Error) => void = () => undefined;
  readonly #ends = new Map<string, () => void>();

  pool({ id }: PoolingRequest): Promise<PoolingAnswer | "cancelled"> {
    return new Promise((resolve, reject) => {
      this.#ends.set(id, () => resolve("cancelled"));
      this.answer = (answer) => (answer instanceof Error ? reject(answer) : resolve(answer));
    });
  }

  async ask() {
    return { type: "tokens", tokens: Uint32Array.of(1, 2) } as const;
  }

  cancel(id: string): void {
    this.#ends.get(id)?.();
  }

  limitThreads(): void {}

  async close(): Promise<void> {}
}

/** Every message is cloned as between real processes and delivered asynchronously. */
function simulatedProcesses(load: () => Promise<PoolingEngine>) {
  let crash = (_reason: string) => {};
  let endBatch: PoolingHooks["onBatchEnd"];
  let breakDown: PoolingHooks["onBroken"];
  let started = 0;
  const open: RemotePoolingOptions["open"] = ({ onMessage, onEnd }) => {
    started += 1;
    let alive = true;
    crash = (reason) => {
      if (!alive) return;
      alive = false;
      queueMicrotask(() => onEnd(reason));
    };
    const host = new ModelHost<PoolingSettings, PoolingEngine>({
      load: async (_settings, hooks) => {
        hooks.onProgress(0.5);
        endBatch = hooks.onBatchEnd;
        breakDown = hooks.onBroken;
        return load();
      },
      send: (message) => {
        const received = structuredClone(message);
        queueMicrotask(() => alive && onMessage(received));
      },
    });
    return {
      send(message: ToPooling) {
        const received = structuredClone(message);
        queueMicrotask(() => alive && void host.receive(received));
      },
      kill: () => crash("SIGKILL"),
      showOutput: () => undefined,
    };
  };
  return {
    open,
    crash: (reason: string) => crash(reason),
    endBatch: () => endBatch?.(),
    breakDown: (reason: string) => breakDown?.(reason),
    startedProcesses: () => started,
  };
}

async function supervise(load?: () => Promise<PoolingEngine>) {
  const held = new HeldEngine();
  const processes = simulatedProcesses(load ?? (async () => held));
  const hooks = { log: vi.fn(), onProgress: vi.fn() };
  const onCrash = vi.fn();
  const onRestored = vi.fn();
  const source = { role: "embedding-model", path: "/models/scripted.gguf" };
  const settings = { source } as PoolingSettings;
  const { open } = processes;
  const engine = await SupervisedPooling.start({ open, settings, hooks, onCrash, onRestored });
  return { engine, held, processes, hooks, onCrash, onRestored };
}

describe("a pooling engine in a separate process", () => {
  it("has the description of the engine, and reports its loading progress", async () => {
    const { engine, hooks } = await supervise();
    expect(engine.description).toEqual({ kind: "embedding", dimensions: 2 });
    expect(hooks.onProgress).toHaveBeenCalledWith(0.5);
  });

  it("returns the engine's embeddings", async () => {
    const { engine, held } = await supervise();
    const answer = engine.pool(request);
    await settled();
    held.answer({ vectors: [Float32Array.of(1, 2)], promptTokens: 4 });
    expect(await answer).toEqual({ vectors: [Float32Array.of(1, 2)], promptTokens: 4 });
    expect(await engine.ask({ type: "detokenize", tokens: [] })).toMatchObject({
      tokens: Uint32Array.of(1, 2),
    });
  });

  it("forwards the engine's error", async () => {
    const { engine, held } = await supervise();
    const answer = engine.pool(request);
    await settled();
    held.answer(new GgufdError("context_length_exceeded", "Too long.", { param: "input" }));
    expect(await rejection(answer)).toMatchObject({
      code: "context_length_exceeded",
      param: "input",
    });
  });

  it("cancels a request by id", async () => {
    const { engine } = await supervise();
    const answer = engine.pool(request);
    await settled();
    engine.cancel("a");
    expect(await answer).toBe("cancelled");
  });

  it("fails to start with a file that cannot be loaded", async () => {
    const failing = () => Promise.reject(new StartupError("model x: not a GGUF file"));
    await expect(supervise(failing)).rejects.toThrow(new StartupError("model x: not a GGUF file"));
  });

  it("reports the purpose of a model that serves other requests", async () => {
    const failing = () => Promise.reject(new OtherKindError("reranking", "model x: ranks"));
    await expect(supervise(failing)).rejects.toMatchObject({ kind: "reranking" });
  });

  it("fails running requests when its process exits, and restarts", async () => {
    const { engine, processes, onCrash, onRestored } = await supervise();
    const answer = rejection(engine.pool(request));
    processes.crash("SIGSEGV");
    expect((await answer).code).toBe("model_unavailable");
    expect(onCrash).toHaveBeenCalledOnce();
    expect((await rejection(engine.pool(request))).code).toBe("model_unavailable");
    await vi.advanceTimersByTimeAsync(restartBackoffMs(1));
    expect(onRestored).toHaveBeenCalledOnce();
    expect(processes.startedProcesses()).toBe(2);
    expect(await engine.ask({ type: "detokenize", tokens: [] })).toMatchObject({
      tokens: Uint32Array.of(1, 2),
    });
  });

  it("is not restarted after it was closed", async () => {
    const { engine, processes } = await supervise();
    processes.crash("SIGSEGV");
    await settled();
    await engine.close();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(processes.startedProcesses()).toBe(1);
  });

  it("is restarted if no batch ends while requests wait, but not while batches end", async () => {
    const { engine, processes, hooks, onCrash } = await supervise();
    const answer = rejection(engine.pool(request));
    for (let batches = 0; batches < 5; batches++) {
      await vi.advanceTimersByTimeAsync(50_000);
      processes.endBatch();
    }
    await engine.ask({ type: "detokenize", tokens: [] });
    expect(onCrash).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(62_000);
    expect((await answer).code).toBe("model_unavailable");
    expect(hooks.log).toHaveBeenCalledWith(
      "error",
      "the engine process exited (killed: no batch for 60 s with 1 request in flight)",
    );
    await vi.advanceTimersByTimeAsync(restartBackoffMs(1));
    expect(processes.startedProcesses()).toBe(2);
  });

  it("is restarted if every batch fails", async () => {
    const { engine, processes, onCrash, onRestored } = await supervise();
    const answer = rejection(engine.pool(request));
    await settled();
    processes.breakDown("3 consecutive batches failed: no memory");
    expect((await answer).code).toBe("model_unavailable");
    expect(onCrash).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(restartBackoffMs(1));
    expect(onRestored).toHaveBeenCalledOnce();
  });
});
