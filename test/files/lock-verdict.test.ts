import { describe, expect, test } from "vitest";
import { classifyLock, STALE_AFTER_MS } from "../../src/files/file-lock.js";
import { parseStat, readOwnIdentity, readProcessState } from "../../src/files/process-identity.js";

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
    ["of a running process is held", other, 0, running(200), "held"],
    ["of a running process without a recent heartbeat is held", other, 9e9, running(200), "held"],
    ["of an ended process is stale", other, 0, gone, "stale"],
    [
      "of an earlier process with the PID of a running one is stale",
      other,
      0,
      running(201),
      "stale",
    ],
    ["from before the system booted is stale", { ...other, bootId: "x" }, 0, running(200), "stale"],
    ["of this process is held", self, 0, running(100), "held"],
    [
      "of an earlier process with this process's PID is stale",
      { ...self, startTicks: 99 },
      0,
      running(100),
      "stale",
    ],
    [
      "of a running process if start times are unknown is held",
      { ...other, startTicks: undefined },
      0,
      running(),
      "held",
    ],
    [
      "of an earlier process with this process's PID if start times are unknown is stale",
      { ...self, startTicks: undefined, startedAt: "2025-01-01T00:00:00.000Z" },
      0,
      running(),
      "stale",
    ],
    ["of another host is held", { ...other, host: "there" }, freshMs, gone, "held"],
    [
      "of another host without a recent heartbeat is stale",
      { ...other, host: "there" },
      freshMs + 1,
      gone,
      "stale",
    ],
    [
      "of another host whose clock is ahead is held",
      { ...other, host: "there" },
      -9e9,
      gone,
      "held",
    ],
    ["that cannot be parsed and is recent counts as held", undefined, freshMs, gone, "held"],
    ["that cannot be parsed and is old counts as stale", undefined, freshMs + 1, gone, "stale"],
  ] as const)("%s", (_name, owner, ageMs, ownerState, verdict) => {
    expect(classifyLock({ owner, ageMs }, { self, ownerState })).toBe(verdict);
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

  test("is ignored if it cannot be parsed", () => {
    expect(parseStat("?")).toEqual({ kind: "running", startTicks: undefined });
  });
});

test("this process is running, and its identity is stable", async () => {
  const identity = await readOwnIdentity();
  expect(await readOwnIdentity()).toEqual(identity);
  expect(identity.pid).toBe(process.pid);
  expect(await readProcessState(process.pid)).toEqual({
    kind: "running",
    startTicks: identity.startTicks,
  });
});
