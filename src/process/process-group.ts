/**
 * Kills a process that leads a group, and all others of it, which are those that it has started. They may be stuck in
 * native code, or stopped. Nothing happens if there are none.
 * @param pid `undefined`: of a process that could not be started
 */
export function killWithDescendants(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    // Windows has no groups.
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // They have ended.
  }
}
