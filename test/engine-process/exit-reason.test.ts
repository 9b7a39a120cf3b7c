import { expect, test } from "vitest";
import { exitReason } from "../../src/engine-process/exit-reason.js";

test.each([
  [0, null, "exit code 0"],
  [134, null, "exit code 134"],
  [null, "SIGSEGV", "SIGSEGV"],
  [null, "SIGABRT", "SIGABRT, possibly a failed native assertion"],
  [null, "SIGBUS", "SIGBUS, possibly the model file was changed or truncated, or a disk failed"],
  [null, "SIGKILL", "SIGKILL, possibly out of memory, or killed by somebody"],
] as const)("exit code %j and signal %j: %s", (code, signal, reason) => {
  expect(exitReason(code, signal)).toBe(reason);
});
