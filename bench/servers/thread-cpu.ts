import { readdirSync, readFileSync } from "node:fs";
import type { RunningServer } from "./server.js";
import { findServerProcesses } from "./server-processes.js";

/** CPU time of a server's threads since their start, in milliseconds, by purpose. */
export type ThreadCpuMs = Readonly<Record<string, number>>;

/** Thread as listed in `/proc`. */
export interface ThreadTimes {
  readonly isMain: boolean;
  readonly name: string;
  readonly cpuMs: number;
}

/** Name of the companion's thread and of its compute threads, which inherit the name. */
const COMPUTING = "ggufd step";

/**
 * Reads the CPU time of a server's threads, with those of ggufd's engine separate from the
 * daemon's. llama-server is one process, whose main thread runs the decoding steps.
 * @returns undefined if the benchmark has not started the server, or this is not Linux
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

/** CPU time between two readings, per token. */
export function cpuMsPerToken(before: ThreadCpuMs, after: ThreadCpuMs, tokens: number) {
  const used = Object.entries(after).map(
    ([name, ms]) => [name, (ms - (before[name] ?? 0)) / tokens] as const,
  );
  return Object.fromEntries(used);
}

/** Threads of a process by purpose, with their CPU times. */
export function namedThreads(
  process: "server" | "engine",
  threads: readonly ThreadTimes[],
): (readonly [name: string, cpuMs: number])[] {
  return threads.map(({ isMain, name, cpuMs }) => {
    if (isMain) return [process, cpuMs];
    return [name === COMPUTING ? "computing" : `${process}'s helpers`, cpuMs];
  });
}

/** Empty if the process has ended meanwhile. */
function threadsOf(pid: number): ThreadTimes[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => threadOf(pid, thread));
  } catch {
    return [];
  }
}

/** Empty if the thread has ended meanwhile. */
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

/**
 * Parses `/proc/PID/task/TID/schedstat`, whose first number is the time on a CPU in nanoseconds.
 */
export function parseCpuMs(schedstat: string): number {
  return Number(schedstat.split(" ")[0]) / 1e6;
}
