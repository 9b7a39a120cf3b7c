/**
 * Opens the todo file and keeps it until it is killed. Says on standard output whether it could.
 *
 * Usage: node --import tsx store-holder.ts PATH
 */
import { openTodoStore } from "../../../src/todos/todo-store.js";

const [path = ""] = process.argv.slice(2);

/** Nothing but the store is left to keep the process alive, and that must not. */
setInterval(() => undefined, 60_000);

process.stdout.write("ready\n");
process.stdin.once("data", async () => {
  try {
    await openTodoStore(path);
    process.stdout.write("held\n");
  } catch (error) {
    process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
});
