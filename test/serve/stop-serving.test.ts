import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type ServingParts, stopServing } from "../../src/serve/stop-serving.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const never = () => new Promise<never>(() => undefined);

/** A server that records its operations, with a model that is idle from the start. */
function serving(model: Partial<ServingParts["models"][number]> = {}) {
  const done: string[] = [];
  const force = new AbortController();
  const note = (what: string) => async () => {
    done.push(what);
  };
  let closeApp: () => void = () => undefined;
  const parts: ServingParts = {
    refuseRequests: () => done.push("refuse"),
    models: [
      {
        whenIdle: async () => undefined,
        endAll: () => done.push("end all"),
        close: note("close model"),
        ...model,
      },
    ],
    entrance: {
      close: note("close app"),
      destroyConnections: () => {
        done.push("cut connections");
        closeApp();
      },
    },
    stored: { close: note("close what is stored") },
    reports: { close: note("close reports") },
    drainTimeoutMs: 10_000,
    force: force.signal,
    warn: (message) => done.push(message),
  };
  const withOpenConnection = (): ServingParts => ({
    ...parts,
    entrance: {
      ...parts.entrance,
      close: () =>
        new Promise<void>((resolve) => {
          closeApp = resolve;
        }),
    },
  });
  return { parts, done, force, withOpenConnection };
}

const WARNING = "the engine has not confirmed the end of its requests; it is closed regardless";

describe("stopping the server", () => {
  test("ends requests first and closes the model last, and leaves no timers", async () => {
    const { parts, done } = serving();
    await stopServing(parts);
    expect(done).toEqual([
      "refuse",
      "close app",
      "close what is stored",
      "close model",
      "close reports",
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("waits for requests, and ends requests that exceed the time limit", async () => {
    let finish: () => void = () => undefined;
    const idle = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { parts, done } = serving({
      whenIdle: () => idle,
      endAll: () => {
        done.push("end all");
        finish();
      },
    });
    const stopped = stopServing(parts);
    await vi.advanceTimersByTimeAsync(9999);
    expect(done).toEqual(["refuse"]);
    await vi.advanceTimersByTimeAsync(1);
    await stopped;
    expect(done).toEqual([
      "refuse",
      "end all",
      "close app",
      "close what is stored",
      "close model",
      "close reports",
    ]);
  });

  test("ends requests immediately if requested", async () => {
    let finish: () => void = () => undefined;
    const idle = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { parts, done, force } = serving({
      whenIdle: () => idle,
      endAll: () => {
        done.push("end all");
        finish();
      },
    });
    const stopped = stopServing(parts);
    await vi.advanceTimersByTimeAsync(1000);
    expect(done).toEqual(["refuse"]);
    force.abort();
    await stopped;
    expect(done.slice(0, 3)).toEqual(["refuse", "end all", "close app"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("continues if the engine does not confirm the end of requests, and closes it before the connections", async () => {
    const { parts, done } = serving({ whenIdle: never });
    const stopped = stopServing(parts);
    await vi.advanceTimersByTimeAsync(12_000);
    await stopped;
    expect(done).toEqual([
      "refuse",
      "end all",
      WARNING,
      "close model",
      "close app",
      "close what is stored",
      "close model",
      "close reports",
    ]);
  });

  test("completes even if a model does not close and a client does not read", async () => {
    const { done, withOpenConnection } = serving({ whenIdle: never, close: never });
    const stopped = stopServing(withOpenConnection());
    await vi.advanceTimersByTimeAsync(10_000 + 2000 + 5000 + 2000);
    expect(done).toEqual(["refuse", "end all", WARNING, "cut connections", "close what is stored"]);
    await vi.advanceTimersByTimeAsync(20_000);
    await stopped;
    expect(done.slice(-2)).toEqual(["a model has not been closed in time", "close reports"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
