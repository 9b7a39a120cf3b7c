import { describe, expect, it } from "vitest";
import { writtenBy, writtenBytes } from "../../bench/servers/process-io.js";
import type { Load, LoadResult } from "../../bench/todos/load.js";
import { todosTurns } from "../../bench/todos/run-todos.js";
import type { Stage } from "../../bench/todos/workload.js";
import { workloads } from "../../bench/todos/workloads/index.js";
import { listBySize } from "../../bench/todos/workloads/list-by-size.js";
import { readsBesideWrites } from "../../bench/todos/workloads/reads-beside-writes.js";
import { amplification, writes } from "../../bench/todos/workloads/writes.js";

const methodOf = ({ requests }: Load) => requests[0]?.method;

/** Ten answers of the same latency, one in each millisecond. */
function tenAnswers(latencyMs: number): LoadResult {
  const answers = Array.from({ length: 10 }, (_, index) => ({ afterMs: index + 1, latencyMs }));
  return { answers, successes: 12, cpuShare: 0.5 };
}

/** A stage whose servers are only names, with the loads that were made on it. */
function scriptedStage(answer: (load: Load) => LoadResult = () => tenAnswers(2)) {
  const loads: Load[] = [];
  const stage: Stage = {
    items: 1000,
    clients: 8,
    seconds: 3,
    serve: async (items) => ({ origin: `http://server-of-${items}`, pid: undefined }),
    load: async (load) => {
      loads.push(load);
      return answer(load);
    },
  };
  return { stage, loads };
}

describe("the workloads on the to-do service", () => {
  it.each(workloads.map((workload) => [workload.name, workload] as const))(
    "%s gives a value for each of its measures, and aims at measures that it has",
    async (_, { run, measures, targets }) => {
      const values = await run(scriptedStage().stage);
      expect(Object.keys(values).sort()).toEqual(Object.keys(measures).sort());
      for (const { measure } of targets) expect(Object.keys(measures)).toContain(measure);
    },
  );

  it("have measures whose labels differ", () => {
    const labels = workloads.flatMap(({ measures }) =>
      Object.values(measures).map(({ label }) => label),
    );
    expect(new Set(labels).size).toBe(labels.length);
  });

  it("warm each server up before what counts", async () => {
    const { stage, loads } = scriptedStage();
    await writes.run(stage);
    expect(loads.map(({ clients }) => clients)).toEqual([1, 8]);
    expect(loads.map(methodOf)).toEqual(["POST", "POST"]);
  });

  it("writes are taken at every number of clients that was asked for, reads at one", () => {
    const clients = workloads.map(({ name, clients }) => [name, clients([1, 256])]);
    expect(Object.fromEntries(clients)).toEqual({
      list: [32],
      "list-by-size": [1],
      item: [32],
      "reads-beside-writes": [1],
      writes: [1, 256],
    });
  });

  it("list-by-size compares medians of two collections that take turns", async () => {
    const { stage, loads } = scriptedStage(({ origin, requests }) => {
      const byTitle = requests[0]?.path.endsWith("sort=-title");
      return tenAnswers(origin.endsWith("-100") ? 2 : byTitle ? 5 : 3);
    });
    expect(await listBySize.run(stage)).toEqual({ byId: 1.5, byTitle: 2.5 });
    const origins = loads.slice(2, 6).map(({ origin }) => origin.replace("http://server-of-", ""));
    expect(origins).toEqual(["1000", "100", "1000", "100"]);
  });

  it("reads-beside-writes counts the reads until the last write", async () => {
    const alone = tenAnswers(2);
    const beside = {
      ...alone,
      answers: [
        { afterMs: 5, latencyMs: 6 },
        { afterMs: 11, latencyMs: 90 },
      ],
    };
    const readings = [alone, alone, beside];
    const { stage } = scriptedStage((load) =>
      methodOf(load) === "POST" ? tenAnswers(4) : (readings.shift() ?? alone),
    );
    expect(await readsBesideWrites.run(stage)).toEqual({ alone: 2, beside: 6, slowdown: 3 });
  });
});

describe("the turns", () => {
  it("alternate between the sides, and give ours those where nothing is compared", () => {
    const side = (label: string) => ({ label, start: () => Promise.reject(new Error(label)) });
    const turns = todosTurns({
      options: { items: [10, 20], clients: [1], seconds: 1, runs: 2 },
      workloads: [writes, listBySize],
      sides: [side("ours"), side("peer")],
    });
    const ofOneSize = [
      "writes 1 ours",
      "writes 1 peer",
      "writes 2 ours",
      "writes 2 peer",
      "list-by-size 1 ours",
      "list-by-size 2 ours",
    ];
    expect(
      turns.map(
        ({ items, workload, run, side }) => `${items} ${workload.name} ${run} ${side.label}`,
      ),
    ).toEqual([10, 20].flatMap((items) => ofOneSize.map((turn) => `${items} ${turn}`)));
  });
});

describe("write amplification", () => {
  it("is what was written since, for each byte that was sent", () => {
    const before = { toDisk: 1000, inCalls: 500 };
    const after = { toDisk: 5000, inCalls: 1500 };
    expect(amplification(before, after, 100)).toEqual({ toDisk: 40, inCalls: 10 });
  });

  it("is what Linux counts for the process", () => {
    expect(
      writtenBytes("rchar: 1\nwchar: 22\nwrite_bytes: 4096\ncancelled_write_bytes: 8\n"),
    ).toEqual({ toDisk: 4096, inCalls: 22 });
  });

  it("is unknown where it cannot be seen", () => {
    expect(writtenBy(undefined)).toEqual({ toDisk: Number.NaN, inCalls: Number.NaN });
  });
});
