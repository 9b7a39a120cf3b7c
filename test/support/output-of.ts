import type { ChildProcess } from "node:child_process";

/** The output of a process so far; the strings grow as it prints. */
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
