import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { runTodos } from "../../bench/todos/run-todos.js";
import type { TodoSide } from "../../bench/todos/todo-sides.js";
import type { Workload } from "../../bench/todos/workload.js";

it("each server of a run has a separate folder, which is removed after the run", async () => {
  const paths: string[] = [];
  const side: TodoSide = {
    label: "ggufd",
    start: async (path) => {
      expect(existsSync(path)).toBe(true);
      paths.push(path);
      const baseUrl = "http://127.0.0.1:1/v1";
      return { baseUrl, version: "0", command: [], pid: undefined, stop: async () => undefined };
    },
  };
  const twoServers: Workload = {
    name: "two-servers",
    sides: "ours",
    clients: () => [1],
    measures: {},
    targets: [],
    async run({ startServer }) {
      await startServer(1);
      await startServer(2);
      return {};
    },
  };
  const { runs } = await runTodos({
    options: { items: [1], clients: [1], runs: 1, seconds: 1 },
    workloads: [twoServers],
    sides: [side],
    signal: new AbortController().signal,
    onRun: () => undefined,
  });
  expect(runs).toHaveLength(1);
  expect(new Set(paths.map((path) => dirname(path))).size).toBe(2);
  expect(paths.filter((path) => existsSync(dirname(dirname(path))))).toEqual([]);
});
