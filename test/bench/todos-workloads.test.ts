import { describe, expect, it } from "vitest";
import { parseWrittenBytes, readWrittenBytes } from "../../bench/servers/process-io.js";
import type { Load, LoadResult } from "../../bench/todos/load.js";
import { todosSchedule } from "../../bench/todos/run-todos.js";
import type { WorkloadContext } from "../../bench/todos/workload.js";
import { workloads } from "../../bench/todos/workloads/index.js";
import { listBySize } from "../../bench/todos/workloads/list-by-size.js";
import { readsBesideWrites } from "../../bench/todos/workloads/reads.js";
import { writeAmplification, writes } from "../../bench/todos/workloads/writes.js";

const methodOf = ({ requests }: Load) => requests[0]?.method;

/** Ten responses of the same latency, one per millisecond. */
function tenResponses(latencyMs: number): LoadResult {
  const responses = Array.from({ length: 10 }, (_, index) => ({ afterMs: index + 1, latencyMs }));
  return { responses, successes: 12, cpuShare: 0.5 };
}

/** A context with fake servers, and the recorded loads. */
function scriptedContext(resultOf: (load: Load) => LoadResult = () => tenResponses(2)) {
  const loads: Load[] = [];
  const context: WorkloadContext = {
    items: 1000,
    clients: 8,
    seconds: 3,
    startServer: async (items) => ({ origin: `http://server-of-${items}`, pid: undefined }),
    runLoad: async (load) => {
      loads.push(load);
      return resultOf(load);
    },
  };
  return { context, loads };
}

describe("workloads of the todos benchmark", () => {
  it.each(workloads.map((workload) => [workload.name, workload] as const))(
    "%s returns a value for each of its measures, and has targets only for its own measures",
    async (_, { run, measures, targets }) => {
      const values = await run(scriptedContext().context);
      expect(Object.keys(values).sort()).toEqual(Object.keys(measures).sort());
      for (const { measure } of targets) expect(Object.keys(measures)).toContain(measure);
    },
  );

  it("have measures with unique labels", () => {
    const labels = workloads.flatMap(({ measures }) =>
      Object.values(measures).map(({ label }) => label),
    );
    expect(new Set(labels).size).toBe(labels.length);
  });

  it("warm up each server before the measurement", async () => {
    const { context, loads } = scriptedContext();
    await writes.run(context);
    expect(loads.map(({ clients }) => clients)).toEqual([1, 8]);
    expect(loads.map(methodOf)).toEqual(["POST", "POST"]);
  });

  it("measure writes with every requested number of clients, and reads with a fixed number", () => {
    const clients = workloads.map(({ name, clients }) => [name, clients([1, 256])]);
    expect(Object.fromEntries(clients)).toEqual({
      list: [32],
      "list-by-size": [1],
      item: [32],
      "reads-beside-writes": [1],
      writes: [1, 256],
    });
  });

  it("list-by-size compares medians of two collections in alternation", async () => {
    const { context, loads } = scriptedContext(({ origin, requests }) => {
      const byTitle = requests[0]?.path.endsWith("sort=-title");
      return tenResponses(origin.endsWith("-100") ? 2 : byTitle ? 5 : 3);
    });
    expect(await listBySize.run(context)).toEqual({ byId: 1.5, byTitle: 2.5 });
    const origins = loads.slice(2, 6).map(({ origin }) => origin.replace("http://server-of-", ""));
    expect(origins).toEqual(["1000", "100", "1000", "100"]);
  });

  it("reads-beside-writes counts only reads up to the last write", async () => {
    const alone = tenResponses(2);
    const beside = {
      ...alone,
      responses: [
        { afterMs: 5, latencyMs: 6 },
        { afterMs: 11, latencyMs: 90 },
      ],
    };
    const readResults = [alone, alone, beside];
    const { context } = scriptedContext((load) =>
      methodOf(load) === "POST" ? tenResponses(4) : (readResults.shift() ?? alone),
    );
    expect(await readsBesideWrites.run(context)).toEqual({ alone: 2, beside: 6, slowdown: 3 });
  });
});

describe("the schedule of the todos benchmark", () => {
  it("alternates between the servers, and runs ggufd alone if the workload compares nothing", () => {
    const side = (label: string) => ({ label, start: () => Promise.reject(new Error(label)) });
    const schedule = todosSchedule({
      options: { items: [10, 20], clients: [1], seconds: 1, runs: 2 },
      workloads: [writes, listBySize],
      sides: [side("ours"), side("peer")],
    });
    const runsOfOneSize = [
      "writes 1 ours",
      "writes 1 peer",
      "writes 2 ours",
      "writes 2 peer",
      "list-by-size 1 ours",
      "list-by-size 2 ours",
    ];
    expect(
      schedule.map(
        ({ items, workload, run, side }) => `${items} ${workload.name} ${run} ${side.label}`,
      ),
    ).toEqual([10, 20].flatMap((items) => runsOfOneSize.map((run) => `${items} ${run}`)));
  });
});

describe("writeAmplification", () => {
  it("returns the number of bytes written per byte sent", () => {
    const before = { toDisk: 1000, inCalls: 500 };
    const after = { toDisk: 5000, inCalls: 1500 };
    expect(writeAmplification(before, after, 100)).toEqual({ toDisk: 40, inCalls: 10 });
  });

  it("is computed from Linux's I/O counters of the process", () => {
    expect(
      parseWrittenBytes("rchar: 1\nwchar: 22\nwrite_bytes: 4096\ncancelled_write_bytes: 8\n"),
    ).toEqual({ toDisk: 4096, inCalls: 22 });
  });

  it("is NaN if the counters cannot be read", () => {
    expect(readWrittenBytes(undefined)).toEqual({ toDisk: Number.NaN, inCalls: Number.NaN });
  });
});
