import { readdirSync, readFileSync } from "node:fs";

interface StartedDaemon {
  readonly process: { readonly pid?: number | undefined };
}

/** The child processes of a daemon, from Linux's /proc. */
export function childrenOf(daemon: StartedDaemon): number[] {
  const parent = daemon.process.pid ?? 0;
  return allProcesses().filter((candidate) => {
    const status = readOf(candidate, "status");
    return status.includes(`\nPPid:\t${parent}\n`) && !/^State:\tZ/m.test(status);
  });
}

/** Processes that were given this environment variable, or inherited it, from Linux's /proc. */
export function processesWith(name: string, value: string): number[] {
  return allProcesses().filter((candidate) =>
    readOf(candidate, "environ").split("\0").includes(`${name}=${value}`),
  );
}

function allProcesses(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** A process of the daemon, by its title, which is its command line until it has started. */
export function childOf(daemon: StartedDaemon, title: RegExp): number | undefined {
  return childrenOf(daemon).find((pid) => title.test(readOf(pid, "cmdline")));
}

/** Empty for a process that has ended since it was listed. */
function readOf(pid: number, file: "status" | "environ" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
