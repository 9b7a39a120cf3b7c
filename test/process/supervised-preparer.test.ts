import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { GgufdError } from "../../src/core/errors.js";
import type { GenerationRequest } from "../../src/core/generation-request.js";
import type { PreparedGeneration } from "../../src/engine/text/prompt/prepared-generation.js";
import { toErrorRecord } from "../../src/process/error-record.js";
import type { ChannelListener } from "../../src/process/process-channel.js";
import type { FromPreparer, ToPreparer } from "../../src/process/protocol.js";
import { SupervisedPreparer } from "../../src/process/supervised-preparer.js";
import { plainReading } from "../support/plain-reading.js";
import { rejection } from "../support/refusal.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const settings = {
  modelPath: "/models/scripted.gguf",
  contextSize: 512,
  toolFormat: "auto",
  metadataOverrides: [],
  defaults: {},
} as const;
const request = (id: string): GenerationRequest => ({
  id,
  prompt: {
    type: "chat",
    messages: [{ role: "user", content: "Hi" }],
    tools: [],
    templateVariables: {},
  },
  sampling: {},
  stopping: { minTokens: 0, stop: [], ignoreEos: false },
});
const preparedOf = (id: string): PreparedGeneration => ({
  ...request(id),
  promptTokens: [1],
  reading: plainReading,
  maxTokens: 5,
});

const loaded = { type: "loaded", description: undefined } as const;

function supervise(watchdogSeconds?: number) {
  const supervised = superviseLater(watchdogSeconds);
  supervised.preparer.start();
  return supervised;
}

function idleFromNow(): () => number {
  const startedAtMs = performance.now();
  return () => performance.now() - startedAtMs;
}

/** A preparer whose process has not been started, for an engine that is idle from the start by default. */
function superviseLater(
  watchdogSeconds?: number,
  idleMs = idleFromNow(),
  startTrigger: "idleness" | "call" = "idleness",
) {
  const sent: ToPreparer[] = [];
  const listeners: ChannelListener<FromPreparer>[] = [];
  const kill = vi.fn();
  const onCrash = vi.fn();
  const preparer = new SupervisedPreparer({
    open: (listener) => {
      listeners.push(listener);
      return { send: (message) => sent.push(message), kill, showOutput: () => undefined };
    },
    settings,
    startTrigger,
    idleMs,
    ...(watchdogSeconds !== undefined && { watchdogSeconds }),
    log: vi.fn(),
    onCrash,
  });
  const latest = () => listeners.at(-1) as ChannelListener<FromPreparer>;
  return { preparer, sent, listeners, latest, kill, onCrash };
}

describe("the supervised preparer", () => {
  test("is not started when the engine is idle, if configured to start on demand", () => {
    const { preparer, listeners } = superviseLater(undefined, () => 1e6, "call");
    vi.advanceTimersByTime(60_000);
    expect(listeners).toHaveLength(0);
    preparer.start();
    expect(listeners).toHaveLength(1);
    preparer.close();
  });

  test("is started only once by several requests", () => {
    const { preparer, listeners } = superviseLater();
    vi.advanceTimersByTime(1000);
    expect([preparer.isReady, listeners.length]).toEqual([false, 0]);
    preparer.start();
    preparer.start();
    vi.advanceTimersByTime(60_000);
    expect(listeners).toHaveLength(1);
  });

  test("is started after the engine has been idle for some seconds", () => {
    const { preparer, listeners, latest } = superviseLater();
    vi.advanceTimersByTime(4999);
    expect(listeners).toHaveLength(0);
    vi.advanceTimersByTime(1);
    expect(listeners).toHaveLength(1);
    latest().onMessage(loaded);
    expect(preparer.isReady).toBe(true);
  });

  test("is not started during generation or shortly afterwards, unless it is requested", () => {
    let idleSinceMs = Number.POSITIVE_INFINITY;
    const idleMs = () => Math.max(0, performance.now() - idleSinceMs);
    const { preparer, listeners } = superviseLater(undefined, idleMs);
    vi.advanceTimersByTime(3_600_000);
    idleSinceMs = performance.now();
    vi.advanceTimersByTime(4999);
    expect(listeners).toHaveLength(0);
    vi.advanceTimersByTime(5001);
    expect(listeners).toHaveLength(1);
    const wanted = superviseLater(undefined, () => 0);
    wanted.preparer.start();
    expect([preparer.isReady, wanted.listeners.length]).toEqual([false, 1]);
  });

  test("is not started after it was closed", () => {
    const { preparer, listeners, kill } = superviseLater();
    preparer.close();
    preparer.start();
    vi.advanceTimersByTime(60_000);
    expect([listeners.length, kill.mock.calls.length]).toEqual([0, 0]);
  });

  test("is ready once the model is loaded", () => {
    const { preparer, sent, latest } = supervise();
    expect(sent).toEqual([{ type: "load", settings }]);
    expect(preparer.isReady).toBe(false);
    latest().onMessage(loaded);
    expect(preparer.isReady).toBe(true);
  });

  test("answers calls in any order, with the original errors", async () => {
    const { preparer, latest } = supervise();
    latest().onMessage(loaded);
    const [first, second] = [preparer.prepare(request("a")), preparer.prepare(request("b"))];
    latest().onMessage({ type: "returned", callId: 1, result: preparedOf("b") });
    const error = toErrorRecord(new GgufdError("context_length_exceeded", "too long"));
    latest().onMessage({ type: "threw", callId: 0, error });
    await expect(first).rejects.toMatchObject({ code: "context_length_exceeded" });
    expect((await second).id).toBe("b");
  });

  test("tokenises text, with the original errors", async () => {
    const { preparer, sent, latest } = supervise();
    latest().onMessage(loaded);
    const question = { type: "detokenize", tokens: [1] } as const;
    const [prepared, told, refused] = [
      preparer.prepare(request("a")),
      preparer.ask(question),
      preparer.ask(question),
    ];
    expect(sent.slice(2)).toEqual([
      { type: "call", callId: 1, method: "ask", args: [question] },
      { type: "call", callId: 2, method: "ask", args: [question] },
    ]);
    const error = toErrorRecord(new GgufdError("invalid_request", "no such token"));
    latest().onMessage({ type: "threw", callId: 2, error });
    latest().onMessage({ type: "returned", callId: 1, result: { type: "text", text: "x" } });
    latest().onMessage({ type: "returned", callId: 0, result: preparedOf("a") });
    await expect(refused).rejects.toMatchObject({ code: "invalid_request" });
    expect(await told).toEqual({ type: "text", text: "x" });
    expect((await prepared).id).toBe("a");
  });

  test("fails its calls when the process exits, and restarts after a delay", async () => {
    const { preparer, listeners, latest, onCrash } = supervise();
    latest().onMessage(loaded);
    const call = preparer.prepare(request("a"));
    latest().onEnd("SIGKILL");
    await expect(call).rejects.toMatchObject({ code: "model_unavailable" });
    expect(onCrash).toHaveBeenCalledWith("SIGKILL");
    expect(preparer.isReady).toBe(false);
    vi.advanceTimersByTime(499);
    expect(listeners).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(listeners).toHaveLength(2);
    latest().onMessage(loaded);
    expect(preparer.isReady).toBe(true);
  });

  test("waits longer after each exit without a successful call", async () => {
    const { listeners, latest } = supervise();
    for (const [exits, pauseMs] of [500, 1000, 2000].entries()) {
      latest().onEnd("exit code 1");
      await vi.advanceTimersByTimeAsync(pauseMs - 1);
      expect(listeners).toHaveLength(exits + 1);
      await vi.advanceTimersByTimeAsync(1);
      expect(listeners).toHaveLength(exits + 2);
    }
  });

  test("is not restarted after it was closed", async () => {
    const { preparer, listeners, latest, kill, onCrash } = supervise();
    latest().onMessage(loaded);
    const call = preparer.prepare(request("a"));
    preparer.close();
    await expect(call).rejects.toMatchObject({ code: "model_unavailable" });
    latest().onEnd("SIGKILL");
    vi.advanceTimersByTime(60_000);
    expect([kill.mock.calls.length, listeners.length, onCrash.mock.calls.length]).toEqual([
      1, 1, 0,
    ]);
  });

  test("is replaced if it does not respond, and late responses of the old process are ignored", async () => {
    const { preparer, sent, listeners, latest, kill, onCrash } = supervise(5);
    latest().onMessage(loaded);
    const call = rejection(preparer.prepare(request("a")));
    for (let seconds = 0; seconds < 6; seconds++) {
      latest().onMessage({ type: "pong", advances: 0 });
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect((await call).code).toBe("model_unavailable");
    expect(onCrash).toHaveBeenCalledExactlyOnceWith(
      "killed: no answer for 5 s with 1 call in flight",
    );
    expect(kill).toHaveBeenCalledOnce();
    expect(sent.filter(({ type }) => type === "ping")).toHaveLength(5);
    latest().onMessage(loaded);
    expect(preparer.isReady).toBe(false);
    await vi.advanceTimersByTimeAsync(500);
    expect(listeners).toHaveLength(2);
    latest().onMessage(loaded);
    listeners[0]?.onEnd("SIGKILL");
    expect(preparer.isReady).toBe(true);
  });

  test("is not killed while it answers one call after another", async () => {
    const { preparer, latest, onCrash } = supervise(5);
    latest().onMessage(loaded);
    const calls = Array.from({ length: 4 }, (_, index) => preparer.prepare(request(`${index}`)));
    for (const callId of calls.keys()) {
      await vi.advanceTimersByTimeAsync(4000);
      latest().onMessage({ type: "returned", callId, result: preparedOf(`${callId}`) });
    }
    expect(await Promise.all(calls)).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(onCrash).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});
