import type { ChildProcess } from "node:child_process";

/** What a process has printed so far; it grows. */
export function outputOf({ stdout, stderr }: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: "", stderr: "" };
  stdout?.on("data", (data) => {
    output.stdout += data;
  });
  stderr?.on("data", (data) => {
    output.stderr += data;
  });
  return output;
}
