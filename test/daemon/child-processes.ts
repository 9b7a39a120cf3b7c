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

/** Processes of the daemon by title, which is their command line until they have started. */
export function childrenWith(daemon: StartedDaemon, title: RegExp): number[] {
  return childrenOf(daemon).filter((pid) => title.test(readOf(pid, "cmdline")));
}

/** The first of them. */
export function childOf(daemon: StartedDaemon, title: RegExp): number | undefined {
  return childrenWith(daemon, title)[0];
}

/** Threads of a process by name, with the nice values of threads of the same name. */
export function threadPrioritiesOf(pid: number): Readonly<Record<string, readonly number[]>> {
  const values: Record<string, number[]> = {};
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8");
    const [, name = "", rest = ""] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
    // Fields are numbered from the process id; the third is the first one after the name.
    const nice = Number(rest.split(" ")[19 - 3]);
    values[name] = [...new Set([...(values[name] ?? []), nice])];
  }
  return values;
}

/** The files that a process has mapped into its memory, such as libraries. */
export function mappedFiles(pid: number): readonly string[] {
  const lines = readFileSync(`/proc/${pid}/maps`, "utf8").split("\n");
  return [...new Set(lines.flatMap((line) => /\s(\/.*)$/.exec(line)?.[1] ?? []))];
}

/** Empty for a process that has ended since it was listed. */
function readOf(pid: number, file: "status" | "environ" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
