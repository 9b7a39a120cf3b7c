/**
 * Opens the todo file on command and holds it until it is killed. Reports the outcome on standard
 * output.
 *
 * Usage: node --import tsx store-holder.ts PATH
 */
import { openTodoStore } from "../../../src/todos/todo-store.js";

const [path = ""] = process.argv.slice(2);

/** Keeps the process alive: the store itself must not. */
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
