import { summariseTodos } from "../todos/summarise-todos.js";
import type { TodosFile } from "../todos/todos-result.js";
import { describeTodosOptions, todosNote } from "../todos/todos-table.js";
import { workloads } from "../todos/workloads/index.js";
import type { Section } from "./section.js";

/** Shorter loads are smoke tests. */
const LEAST_SECONDS = 5;

/** Builds one section per collection size. */
export function todosSections(file: TodosFile): Section[] {
  const { options, sides, machine, date, origin } = file;
  const rows = summariseTodos(file, workloads);
  return options.items.map((items) => ({
    name: `todos-${items}`,
    title: `todos (${items.toLocaleString("en")} items)`,
    description: "the to-do service under load, each run on a new file",
    settings: describeTodosOptions(options),
    sides: sides.map(({ label }) => label),
    concurrencyLabel: "clients",
    rows: rows.filter((row) => row.items === items),
    plots: [],
    machine,
    date,
    origin,
    effort: options.seconds < LEAST_SECONDS ? "quick" : "full",
    servers: sides,
    notes: [todosNote(file)],
  }));
}
