import type { TodosFile, TodosRun } from "../../bench/todos/todos-result.js";

function run(side: string, number: number, overrides: Partial<TodosRun>): TodosRun {
  return {
    workload: "writes",
    items: 10_000,
    clients: 256,
    run: number,
    side,
    clientCpuShare: 0.2,
    values: {},
    ...overrides,
  };
}

/** Two runs of `writes` on each side, with a rate; one of `list-by-size` on ggufd. */
export const todosFile: TodosFile = {
  kind: "todos",
  date: "2026-01-31T10:00:00.000Z",
  machine: { cpu: "CPU", cores: 2, memoryGiB: 8, platform: "linux x64", node: "v20.20.0" },
  options: { items: [10_000], clients: [256], seconds: 5, runs: 2 },
  sides: [
    { label: "ggufd", version: "0.1.0", command: ["node", "main.js", "serve", "--port", "5"] },
    { label: "lowdb", version: "fastify 5", command: ["node", "plain-server.ts"] },
    { label: "lowdb + fsync", version: "fastify 5", command: ["node", "plain-server.ts"] },
  ],
  runs: [
    run("ggufd", 1, { workload: "list-by-size", clients: 1, values: { byId: 1.2, byTitle: 2.1 } }),
    run("ggufd", 1, { values: { rate: 3900 }, clientCpuShare: 0.5 }),
    run("lowdb", 1, { values: { rate: 110 } }),
    run("lowdb + fsync", 1, { values: { rate: 50 } }),
    run("ggufd", 2, { values: { rate: 4100 } }),
    run("lowdb", 2, { values: { rate: 90 } }),
    run("lowdb + fsync", 2, { values: { rate: 50 } }),
  ],
};
