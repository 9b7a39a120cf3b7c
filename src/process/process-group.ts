/**
 * Kills a process group: its leader and all processes that the leader has started, even if they are
 * stopped or stuck in native code. Does nothing if the group no longer exists.
 * @param pid id of the group leader; `undefined` if the process could not be started
 */
export function killWithDescendants(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    // Windows has no process groups.
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // The group has already exited.
  }
}
