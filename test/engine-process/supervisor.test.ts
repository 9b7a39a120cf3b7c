import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { restartBackoffMs } from "../../src/engine-process/restart-backoff.js";
import { Supervisor, type SupervisorOptions } from "../../src/engine-process/supervisor.js";

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

function options(launch?: SupervisorOptions<NumberedProcess>["launch"]) {
  const launched: NumberedProcess[] = [];
  return {
    launched,
    launch:
      launch ??
      (async (lose: (reason: string) => void) => {
        const process = { number: launched.length, lose, close: vi.fn(async () => {}) };
        launched.push(process);
        return process;
      }),
    onLost: vi.fn(),
    onRestored: vi.fn(),
    log: vi.fn(),
  };
}

describe("a supervisor", () => {
  it("restarts a process that exits, and then has the new one", async () => {
    const given = options();
    const supervisor = await Supervisor.start(given);
    supervisor.latest.lose("SIGSEGV");
    expect(given.onLost).toHaveBeenCalledOnce();
    expect(given.log).toHaveBeenCalledWith("error", expect.stringContaining("SIGSEGV"));
    await vi.advanceTimersByTimeAsync(restartBackoffMs(1));
    expect(supervisor.latest.number).toBe(1);
    expect(given.onRestored).toHaveBeenCalledOnce();
  });

  it("restarts a process that exits before anybody could look at it", async () => {
    const launched: number[] = [];
    const given = options(async (lose) => {
      const number = launched.push(launched.length) - 1;
      if (number === 0) lose("at once");
      return { number, lose, close: async () => {} };
    });
    const supervisor = await Supervisor.start(given);
    expect(given.onLost).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(restartBackoffMs(1));
    expect(supervisor.latest.number).toBe(1);
  });

  it("waits longer after each loss, and not after a long life", async () => {
    const given = options();
    const supervisor = await Supervisor.start(given);
    for (const losses of [1, 2, 3]) {
      supervisor.latest.lose("again");
      await vi.advanceTimersByTimeAsync(restartBackoffMs(losses) - 1);
      expect(given.launched).toHaveLength(losses);
      await vi.advanceTimersByTimeAsync(1);
      expect(given.launched).toHaveLength(losses + 1);
    }
    await vi.advanceTimersByTimeAsync(61_000);
    supervisor.latest.lose("after a minute");
    await vi.advanceTimersByTimeAsync(restartBackoffMs(1));
    expect(given.launched).toHaveLength(5);
  });

  it("tries again where a restart fails", async () => {
    let attempts = 0;
    const given = options(async (lose) => {
      attempts += 1;
      if (attempts === 2) throw new Error("no file");
      return { number: attempts, lose, close: async () => {} };
    });
    const supervisor = await Supervisor.start(given);
    supervisor.latest.lose("SIGKILL");
    await vi.advanceTimersByTimeAsync(restartBackoffMs(1) + restartBackoffMs(2));
    expect(supervisor.latest.number).toBe(3);
    expect(given.onRestored).toHaveBeenCalledOnce();
    expect(given.log).toHaveBeenCalledWith("error", expect.stringContaining("no file"));
  });

  it("closes what runs, and starts nothing any more", async () => {
    const given = options();
    const supervisor = await Supervisor.start(given);
    supervisor.latest.lose("SIGKILL");
    await supervisor.close();
    expect(supervisor.latest.close).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(given.launched).toHaveLength(1);
  });
});
