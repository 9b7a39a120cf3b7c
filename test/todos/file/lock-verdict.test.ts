import { describe, expect, test } from "vitest";
import { lockVerdict, STALE_AFTER_MS } from "../../../src/todos/file/lock-verdict.js";
import { ownIdentity, parseStat, processState } from "../../../src/todos/file/process-identity.js";

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
const young = STALE_AFTER_MS - 1;

describe("a lock", () => {
  test.each([
    ["of a running process", other, 0, running(200), "held"],
    ["of a running process that has long not touched it", other, 9e9, running(200), "held"],
    ["of a process that is gone", other, 0, gone, "stale"],
    ["of an earlier process with the number of a running one", other, 0, running(201), "stale"],
    ["from before the system was started", { ...other, bootId: "x" }, 0, running(200), "stale"],
    ["of this process", self, 0, running(100), "held"],
    [
      "of an earlier process with this one's number",
      { ...self, startTicks: 99 },
      0,
      running(100),
      "stale",
    ],
    ["where start times are not known", { ...other, startTicks: undefined }, 0, running(), "held"],
    [
      "of an earlier process with this one's number, where start times are not known",
      { ...self, startTicks: undefined, startedAt: "2025-01-01T00:00:00.000Z" },
      0,
      running(),
      "stale",
    ],
    ["of another host", { ...other, host: "there" }, young, gone, "held"],
    [
      "of another host that has not touched it",
      { ...other, host: "there" },
      young + 1,
      gone,
      "stale",
    ],
    ["of another host whose clock is ahead", { ...other, host: "there" }, -9e9, gone, "held"],
    ["that cannot be read", undefined, young, gone, "held"],
    ["that cannot be read, and is old", undefined, young + 1, gone, "stale"],
  ] as const)("%s is judged right", (_name, owner, age, ownerState, verdict) => {
    expect(lockVerdict({ owner, age }, { self, ownerState })).toBe(verdict);
  });
});

describe("/proc/<pid>/stat", () => {
  const rest = `${Array.from({ length: 18 }, (_, n) => n).join(" ")} 4711 0`;

  test("tells the start time, also of a program with any name", () => {
    expect(parseStat(`1 (no) de (x) S ${rest}`)).toEqual({ kind: "running", startTicks: 4711 });
  });

  test.each(["Z", "X"])("of a process in state %s is that of one that is gone", (state) => {
    expect(parseStat(`1 (node) ${state} ${rest}`)).toEqual({ kind: "gone" });
  });

  test("that cannot be understood tells no time", () => {
    expect(parseStat("?")).toEqual({ kind: "running", startTicks: undefined });
  });
});

test("this process is running, and the same whenever it is asked", async () => {
  const identity = await ownIdentity();
  expect(await ownIdentity()).toEqual(identity);
  expect(identity.pid).toBe(process.pid);
  expect(await processState(process.pid)).toEqual({
    kind: "running",
    startTicks: identity.startTicks,
  });
});
