import { readdirSync, readFileSync } from "node:fs";

interface StartedDaemon {
  readonly process: { readonly pid?: number | undefined };
}

/** The child processes of a daemon, from Linux's /proc. */
export function childrenOf(daemon: StartedDaemon): number[] {
  const parent = daemon.process.pid ?? 0;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => {
      try {
        const status = readFileSync(`/proc/${candidate}/status`, "utf8");
        return status.includes(`\nPPid:\t${parent}\n`) && !/^State:\tZ/m.test(status);
      } catch {
        return false;
      }
    });
}

/** A process of the daemon, by its title, which is its command line until it has started. */
export function childOf(daemon: StartedDaemon, title: RegExp): number | undefined {
  return childrenOf(daemon).find((pid) => title.test(commandLineOf(pid)));
}

/** Empty for a process that has ended since it was listed. */
function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
