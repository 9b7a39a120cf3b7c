import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunningServer } from "../servers/server.js";
import type { SideResult } from "../summary/result-file.js";
import type { Load, LoadResult } from "./load.js";
import { LoadGeneratorPool } from "./load-generator-pool.js";
import { preparedFile } from "./requests.js";
import type { TodoSide } from "./todo-sides.js";
import type { TodosOptions, TodosResult, TodosRun } from "./todos-result.js";
import type { Workload } from "./workload.js";

/** Folder on the checkout's disk, because the system's temporary directory may be in memory. */
const cacheFolder = fileURLToPath(new URL("../../.cache/", import.meta.url));

export interface RunTodosOptions {
  readonly options: TodosOptions;
  readonly workloads: readonly Workload[];
  /** Sides, ggufd first. */
  readonly sides: readonly TodoSide[];
  readonly signal: AbortSignal;
  /** Called after each run with the results so far, which include the run. */
  readonly onRun: (run: TodosRun, partialResult: TodosResult) => void;
}

/** One run of a workload on one side. */
export interface TodosScheduledRun {
  readonly workload: Workload;
  readonly items: number;
  readonly clients: number;
  readonly run: number;
  readonly side: TodoSide;
}

/**
 * Measures the to-do service and its baselines. At each size, workload and number of clients the
 * sides' runs alternate, each on freshly started servers with new files.
 * @throws {InputError} if a server cannot be started, or a request fails
 */
export async function runTodos(runOptions: RunTodosOptions): Promise<TodosResult> {
  const { options, signal, onRun } = runOptions;
  const sideResults = new Map<string, SideResult>();
  const runs: TodosRun[] = [];
  const result = () => ({ options, sides: [...sideResults.values()], runs });
  const loadGenerators = await LoadGeneratorPool.start(signal);
  try {
    for (const scheduled of todosSchedule(runOptions)) {
      const { label } = scheduled.side;
      const run = await runOnce(scheduled, {
        seconds: options.seconds,
        signal,
        generateLoad: (load) => loadGenerators.run(load),
        onServer: ({ version, command }) => {
          if (!sideResults.has(label)) sideResults.set(label, { label, version, command });
        },
      });
      signal.throwIfAborted();
      runs.push(run);
      onRun(run, result());
    }
  } finally {
    loadGenerators.close();
  }
  return result();
}

/** Order of the runs: A B C A B C at each size, workload and number of clients. */
export function todosSchedule({
  options,
  workloads,
  sides,
}: Pick<RunTodosOptions, "options" | "workloads" | "sides">): TodosScheduledRun[] {
  const runNumbers = Array.from({ length: options.runs }, (_, index) => index + 1);
  return options.items.flatMap((items) =>
    workloads.flatMap((workload) => {
      const measuredSides = workload.sides === "all" ? sides : sides.slice(0, 1);
      return workload
        .clients(options.clients)
        .flatMap((clients) =>
          runNumbers.flatMap((run) =>
            measuredSides.map((side) => ({ workload, items, clients, run, side })),
          ),
        );
    }),
  );
}

interface RunContext {
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly generateLoad: (load: Load) => Promise<LoadResult>;
  readonly onServer: (server: RunningServer) => void;
}

async function runOnce(scheduled: TodosScheduledRun, context: RunContext): Promise<TodosRun> {
  const { workload, items, clients, run, side } = scheduled;
  const { seconds, signal, generateLoad, onServer } = context;
  mkdirSync(cacheFolder, { recursive: true });
  const folder = mkdtempSync(join(cacheFolder, "bench-todos-"));
  const servers: RunningServer[] = [];
  const cpuShares: number[] = [];
  try {
    const values = await workload.run({
      items,
      clients,
      seconds,
      async startServer(count) {
        // A folder each, because a daemon keeps conversations next to the to-dos.
        const path = join(folder, String(servers.length), "todos.json");
        mkdirSync(dirname(path));
        writeFileSync(path, preparedFile(count), { flush: true });
        const server = await side.start(path, signal);
        servers.push(server);
        onServer(server);
        return { origin: new URL(server.baseUrl).origin, pid: server.pid };
      },
      async runLoad(load) {
        const result = await generateLoad(load);
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
