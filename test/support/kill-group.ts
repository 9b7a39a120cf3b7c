import type { ChildProcess } from "node:child_process";

/** Kills a process that was started as the leader of a group (`detached`), and its children. */
export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All of them have ended.
  }
}
