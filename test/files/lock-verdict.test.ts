import { describe, expect, test } from "vitest";
import { lockVerdict, STALE_AFTER_MS } from "../../src/files/file-lock.js";
import { ownIdentity, parseStat, processState } from "../../src/files/process-identity.js";

const self = {
  pid: 10,
  host: "here",
  startedAt: "2026-01-01T00:00:00.000Z",
  bootId: "boot",
  startTicks: 100,
};
const other = { ...self, pid: 20, startTicks: 200 };
const gone = { kind: "gone" } as const;
const running = (startTicks?: number) => ({ kind: "running", startTicks }) as const;
const freshMs = STALE_AFTER_MS - 1;

describe("a lock", () => {
  test.each([
    ["of a running process", other, 0, running(200), "held"],
    ["of a running process without a recent heartbeat", other, 9e9, running(200), "held"],
    ["of a process that is gone", other, 0, gone, "stale"],
    ["of an earlier process with the PID of a running one", other, 0, running(201), "stale"],
    ["from before the system booted", { ...other, bootId: "x" }, 0, running(200), "stale"],
    ["of this process", self, 0, running(100), "held"],
    [
      "of an earlier process with this one's PID",
      { ...self, startTicks: 99 },
      0,
      running(100),
      "stale",
    ],
    ["where start times are unknown", { ...other, startTicks: undefined }, 0, running(), "held"],
    [
      "of an earlier process with this one's PID, where start times are unknown",
      { ...self, startTicks: undefined, startedAt: "2025-01-01T00:00:00.000Z" },
      0,
      running(),
      "stale",
    ],
    ["of another host", { ...other, host: "there" }, freshMs, gone, "held"],
    [
      "of another host without a recent heartbeat",
      { ...other, host: "there" },
      freshMs + 1,
      gone,
      "stale",
    ],
    ["of another host whose clock is ahead", { ...other, host: "there" }, -9e9, gone, "held"],
    ["that cannot be parsed", undefined, freshMs, gone, "held"],
    ["that cannot be parsed, and is old", undefined, freshMs + 1, gone, "stale"],
  ] as const)("%s gets the right verdict", (_name, owner, ageMs, ownerState, verdict) => {
    expect(lockVerdict({ owner, ageMs }, { self, ownerState })).toBe(verdict);
  });
});

describe("/proc/<pid>/stat", () => {
  const otherFields = `${Array.from({ length: 18 }, (_, n) => n).join(" ")} 4711 0`;

  test("contains the start time, for any program name", () => {
    expect(parseStat(`1 (no) de (x) S ${otherFields}`)).toEqual({
      kind: "running",
      startTicks: 4711,
    });
  });

  test.each(["Z", "X"])("with the state %s means that the process has ended", (state) => {
    expect(parseStat(`1 (node) ${state} ${otherFields}`)).toEqual({ kind: "gone" });
  });

  test("that cannot be parsed yields no start time", () => {
    expect(parseStat("?")).toEqual({ kind: "running", startTicks: undefined });
  });
});

test("this process is running, and its identity is stable", async () => {
  const identity = await ownIdentity();
  expect(await ownIdentity()).toEqual(identity);
  expect(identity.pid).toBe(process.pid);
  expect(await processState(process.pid)).toEqual({
    kind: "running",
    startTicks: identity.startTicks,
  });
});
