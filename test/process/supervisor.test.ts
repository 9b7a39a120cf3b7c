import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  restartBackoffMs,
  Supervisor,
  type SupervisorOptions,
} from "../../src/process/supervisor.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface NumberedProcess {
  readonly number: number;
  readonly lose: (reason: string) => void;
  close(): Promise<void>;
}

type Launch = SupervisorOptions<NumberedProcess>["launch"];

function options(launch?: Launch) {
  const launched: NumberedProcess[] = [];
  const launchNext: Launch = async (lose) => {
    const process = { number: launched.length, lose, close: vi.fn(async () => {}) };
    launched.push(process);
    return process;
  };
  return {
    launched,
    launch: launch ?? launchNext,
    onCrash: vi.fn(),
    onRestored: vi.fn(),
    log: vi.fn(),
  };
}

describe("a supervisor", () => {
  it("restarts a process that exits, and provides the new process", async () => {
    const given = options();
    const supervisor = await Supervisor.start(given);
    supervisor.latest.lose("SIGSEGV");
    expect(given.onCrash).toHaveBeenCalledOnce();
    expect(given.log).toHaveBeenCalledWith("error", expect.stringContaining("SIGSEGV"));
    await vi.advanceTimersByTimeAsync(restartBackoffMs(1));
    expect(supervisor.latest.number).toBe(1);
    expect(given.onRestored).toHaveBeenCalledOnce();
  });

  it("restarts a process that exits immediately after its launch", async () => {
    const launched: number[] = [];
    const given = options(async (lose) => {
      const number = launched.push(launched.length) - 1;
      if (number === 0) lose("at once");
      return { number, lose, close: async () => {} };
    });
    const supervisor = await Supervisor.start(given);
    expect(given.onCrash).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(restartBackoffMs(1));
    expect(supervisor.latest.number).toBe(1);
  });

  it("waits longer after each crash, until a process has answered", async () => {
    const given = options();
    const supervisor = await Supervisor.start(given);
    for (const crashes of [1, 2, 3]) {
      supervisor.latest.lose("again");
      await vi.advanceTimersByTimeAsync(restartBackoffMs(crashes) - 1);
      expect(given.launched).toHaveLength(crashes);
      await vi.advanceTimersByTimeAsync(1);
      expect(given.launched).toHaveLength(crashes + 1);
    }
    supervisor.noteAnswer();
    supervisor.latest.lose("after an answer");
    await vi.advanceTimersByTimeAsync(restartBackoffMs(1));
    expect(given.launched).toHaveLength(5);
  });

  it("retries if a restart fails", async () => {
    let attempts = 0;
    const given = options(async (lose) => {
      attempts += 1;
      if (attempts === 2) throw new Error("no file");
      return { number: attempts, lose, close: async () => {} };
    });
    const onRestartFailed = vi.fn();
    const supervisor = await Supervisor.start({ ...given, onRestartFailed });
    supervisor.latest.lose("SIGKILL");
    await vi.advanceTimersByTimeAsync(restartBackoffMs(1) + restartBackoffMs(2));
    expect(supervisor.latest.number).toBe(3);
    expect(given.onRestored).toHaveBeenCalledOnce();
    expect(onRestartFailed).toHaveBeenCalledExactlyOnceWith(new Error("no file"));
    expect(given.log).toHaveBeenCalledWith("error", expect.stringContaining("no file"));
  });

  it("closes the running process, and starts no other process", async () => {
    const given = options();
    const supervisor = await Supervisor.start(given);
    supervisor.latest.lose("SIGKILL");
    await supervisor.close();
    expect(supervisor.latest.close).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(given.launched).toHaveLength(1);
  });

  it("aborts a launch in progress when it is closed, without waiting for it", async () => {
    let signal: AbortSignal | undefined;
    const given = options();
    const supervisor = await Supervisor.start(given);
    given.launch = (_lose, launching) => {
      signal = launching;
      return new Promise(() => undefined);
    };
    supervisor.latest.lose("SIGKILL");
    await vi.advanceTimersByTimeAsync(restartBackoffMs(1));
    expect(signal?.aborted).toBe(false);
    await supervisor.close();
    expect(signal?.aborted).toBe(true);
  });

  it("closes a process whose launch completes after the supervisor was closed", async () => {
    let finish: (process: NumberedProcess) => void = () => undefined;
    const given = options();
    const supervisor = await Supervisor.start(given);
    given.launch = () =>
      new Promise((resolve) => {
        finish = resolve;
      });
    supervisor.latest.lose("SIGKILL");
    await vi.advanceTimersByTimeAsync(restartBackoffMs(1));
    await supervisor.close();
    const late = { number: 1, lose: vi.fn(), close: vi.fn(async () => {}) };
    finish(late);
    await vi.advanceTimersByTimeAsync(0);
    expect(late.close).toHaveBeenCalledOnce();
    expect(given.onRestored).not.toHaveBeenCalled();
  });

  it("reports no error for a launch aborted by closing, and does not retry it", async () => {
    const given = options();
    const supervisor = await Supervisor.start(given);
    given.launch = (_lose, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("the server stops")));
      });
    supervisor.latest.lose("SIGKILL");
    await vi.advanceTimersByTimeAsync(restartBackoffMs(1));
    await supervisor.close();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(given.log).not.toHaveBeenCalledWith(
      "error",
      expect.stringContaining("the server stops"),
    );
    expect(vi.getTimerCount()).toBe(0);
  });

  it("starts the next process only after the previous one has exited", async () => {
    let vanish: () => void = () => undefined;
    const given = options();
    const supervisor = await Supervisor.start(given);
    vi.mocked(supervisor.latest.close).mockImplementation(
      () =>
        new Promise((resolve) => {
          vanish = resolve;
        }),
    );
    supervisor.latest.lose("killed: no step for 60 s");
    await vi.advanceTimersByTimeAsync(restartBackoffMs(1));
    expect(given.launched).toHaveLength(1);
    vanish();
    await vi.advanceTimersByTimeAsync(0);
    expect(given.launched).toHaveLength(2);
  });

  it("reports an exit during the restart after the restart has been reported", async () => {
    const given = options();
    const supervisor = await Supervisor.start(given);
    const launch = given.launch;
    let launches = 0;
    given.launch = async (lose, signal) => {
      launches += 1;
      if (launches === 1) lose("at once");
      return launch(lose, signal);
    };
    supervisor.latest.lose("SIGKILL");
    await vi.advanceTimersByTimeAsync(restartBackoffMs(1));
    expect(given.onCrash).toHaveBeenCalledTimes(2);
    const [lastCrash] = given.onCrash.mock.invocationCallOrder.slice(-1);
    expect(lastCrash).toBeGreaterThan(given.onRestored.mock.invocationCallOrder[0] ?? Infinity);
    await vi.advanceTimersByTimeAsync(restartBackoffMs(2));
    expect(given.launched).toHaveLength(3);
  });
});
