import { readdirSync, readFileSync } from "node:fs";
import type { RunningServer } from "./server.js";
import { findServerProcesses } from "./server-processes.js";

/** CPU time that a server's threads have used since they began, in milliseconds, by what they are for. */
export type ThreadCpuMs = Readonly<Record<string, number>>;

/** A thread, as `/proc` shows it. */
export interface ThreadTimes {
  readonly isMain: boolean;
  readonly name: string;
  readonly cpuMs: number;
}

/** The companion's thread and those that compute for it, which inherit its name. */
const COMPUTING = "ggufd step";

/**
 * Reads what a server's threads have used: those of ggufd's engine apart from the daemon's. llama-server is one process,
 * whose main thread takes its steps. `undefined`: the benchmark has not started the server, or this is not Linux.
 */
export function readThreadCpu(server: RunningServer): ThreadCpuMs | undefined {
  if (server.pid === undefined || process.platform !== "linux") return undefined;
  const { engines } = findServerProcesses(server);
  const threads = [
    ...namedThreads("server", threadsOf(server.pid)),
    ...engines.flatMap((engine) => namedThreads("engine", threadsOf(engine))),
  ];
  const cpuMs: Record<string, number> = {};
  for (const [name, ms] of threads) cpuMs[name] = (cpuMs[name] ?? 0) + ms;
  return cpuMs;
}

/** What has been used between two readings, for each of so many tokens. */
export function cpuMsPerToken(before: ThreadCpuMs, after: ThreadCpuMs, tokens: number) {
  const used = Object.entries(after).map(
    ([name, ms]) => [name, (ms - (before[name] ?? 0)) / tokens] as const,
  );
  return Object.fromEntries(used);
}

/** What the threads of a process are for, with what each has used. */
export function namedThreads(
  process: "server" | "engine",
  threads: readonly ThreadTimes[],
): (readonly [name: string, cpuMs: number])[] {
  return threads.map(({ isMain, name, cpuMs }) => {
    if (isMain) return [process, cpuMs];
    return [name === COMPUTING ? "computing" : `${process}'s helpers`, cpuMs];
  });
}

/** None when the process has ended meanwhile. */
function threadsOf(pid: number): ThreadTimes[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => threadOf(pid, thread));
  } catch {
    return [];
  }
}

/** Nothing when the thread has ended meanwhile. */
function threadOf(pid: number, thread: string): ThreadTimes[] {
  try {
    const folder = `/proc/${pid}/task/${thread}`;
    const cpuMs = parseCpuMs(readFileSync(`${folder}/schedstat`, "utf8"));
    return [
      {
        isMain: Number(thread) === pid,
        name: readFileSync(`${folder}/comm`, "utf8").trim(),
        cpuMs,
      },
    ];
  } catch {
    return [];
  }
}

/** The first number of `/proc/PID/task/TID/schedstat` is the time on a CPU, in nanoseconds. */
export function parseCpuMs(schedstat: string): number {
  return Number(schedstat.split(" ")[0]) / 1e6;
}
