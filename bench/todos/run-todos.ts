import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunningServer } from "../servers/server.js";
import type { SideResult } from "../summary/result-file.js";
import type { Load, LoadResult } from "./load.js";
import { LoadProcesses } from "./load-processes.js";
import { preparedFile } from "./prepared-file.js";
import type { TodoSide } from "./todo-sides.js";
import type { TodosOptions, TodosResult, TodosRun } from "./todos-result.js";
import type { Workload } from "./workload.js";

/** On the checkout's disk: the system's folder for temporary files may be in memory. */
const cacheFolder = fileURLToPath(new URL("../../.cache/", import.meta.url));

export interface RunTodosOptions {
  readonly options: TodosOptions;
  readonly workloads: readonly Workload[];
  /** Ours first. */
  readonly sides: readonly TodoSide[];
  readonly signal: AbortSignal;
  /** Called after each run with all that was measured so far, the run last. */
  readonly onRun: (run: TodosRun, soFar: TodosResult) => void;
}

/** One run on one side, by its place among all. */
export interface TodosTurn {
  readonly workload: Workload;
  readonly items: number;
  readonly clients: number;
  readonly run: number;
  readonly side: TodoSide;
}

/**
 * Measures the to-do service and what it is compared with: for each size, workload, number of
 * clients and run one side after the other, each on servers that were just started on a new file.
 * @throws {InputError} when a server cannot be started, or answers anything but success.
 */
export async function runTodos(given: RunTodosOptions): Promise<TodosResult> {
  const { options, signal, onRun } = given;
  const about = new Map<string, SideResult>();
  const runs: TodosRun[] = [];
  const result = () => ({ options, sides: [...about.values()], runs });
  const loads = await LoadProcesses.start(signal);
  try {
    for (const turn of todosTurns(given)) {
      const { label } = turn.side;
      const run = await runTurn(turn, {
        seconds: options.seconds,
        signal,
        makeLoad: (load) => loads.run(load),
        onServer: ({ version, command }) => {
          if (!about.has(label)) about.set(label, { label, version, command });
        },
      });
      signal.throwIfAborted();
      runs.push(run);
      onRun(run, result());
    }
  } finally {
    loads.close();
  }
  return result();
}

/** A B C A B C at each size, workload and number of clients. */
export function todosTurns({
  options,
  workloads,
  sides,
}: Pick<RunTodosOptions, "options" | "workloads" | "sides">): TodosTurn[] {
  const numbers = Array.from({ length: options.runs }, (_, index) => index + 1);
  return options.items.flatMap((items) =>
    workloads.flatMap((workload) => {
      const taking = workload.sides === "all" ? sides : sides.slice(0, 1);
      return workload
        .clients(options.clients)
        .flatMap((clients) =>
          numbers.flatMap((run) => taking.map((side) => ({ workload, items, clients, run, side }))),
        );
    }),
  );
}

interface TurnContext {
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly makeLoad: (load: Load) => Promise<LoadResult>;
  readonly onServer: (server: RunningServer) => void;
}

async function runTurn(turn: TodosTurn, context: TurnContext): Promise<TodosRun> {
  const { workload, items, clients, run, side } = turn;
  const { seconds, signal, makeLoad, onServer } = context;
  mkdirSync(cacheFolder, { recursive: true });
  const folder = mkdtempSync(join(cacheFolder, "bench-todos-"));
  const servers: RunningServer[] = [];
  const cpuShares: number[] = [];
  try {
    const values = await workload.run({
      items,
      clients,
      seconds,
      async serve(count) {
        const path = join(folder, `${servers.length}.json`);
        writeFileSync(path, preparedFile(count), { flush: true });
        const server = await side.start(path, signal);
        servers.push(server);
        onServer(server);
        return { origin: new URL(server.baseUrl).origin, pid: server.pid };
      },
      async load(load) {
        const result = await makeLoad(load);
        cpuShares.push(result.cpuShare);
        return result;
      },
    });
    return {
      workload: workload.name,
      items,
      clients,
      run,
      side: side.label,
      clientCpuShare: Math.max(...cpuShares),
      values: Object.fromEntries(
        Object.entries(values).filter(([, value]) => Number.isFinite(value)),
      ),
    };
  } finally {
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
