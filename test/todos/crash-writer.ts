/**
 * The victim of the crash test: writers that change the todo file at the same time, for ever.
 * Each tells on standard output what it tries and what was acknowledged, in JSON lines.
 *
 * Usage: node --import tsx crash-writer.ts PATH ROUND
 */
import { writeSync } from "node:fs";
import { openTodoStore } from "../../src/todos/todo-store.js";
import { type CrashRecord, crashTitle } from "./crash-record.js";

const writers = 8;

const [path = "", round = ""] = process.argv.slice(2);
const store = await openTodoStore(path);

/** Synchronous: what was told is in the pipe, also when the next moment is the last. */
function tell(record: CrashRecord): void {
  writeSync(1, `${JSON.stringify(record)}\n`);
}

async function create(name: string): Promise<number> {
  tell({ kind: "create", name });
  const { todo } = await store.create({ title: crashTitle(name), completed: false });
  tell({ kind: "created", name, id: todo.id });
  return todo.id;
}

async function setCompleted(id: number, completed: boolean): Promise<void> {
  tell({ kind: "set", id, completed });
  await store.change(id, { completed });
  tell({ kind: "was-set", id, completed });
}

async function remove(id: number): Promise<void> {
  tell({ kind: "remove", id });
  await store.remove(id);
  tell({ kind: "removed", id });
}

/** Changes only its own items, so that what is known of an item is known in order. */
async function writeForEver(writer: number): Promise<void> {
  const own = store.list().flatMap(({ id }) => (id % writers === writer ? [id] : []));
  for (let turn = 0; ; turn += 1) {
    own.push(await create(`round ${round} writer ${writer} turn ${turn}`));
    const id = own[turn % own.length];
    if (id === undefined) continue;
    await setCompleted(id, turn % 3 !== 0);
    if (own.length < 6) continue;
    own.splice(own.indexOf(id), 1);
    await remove(id);
  }
}

tell({ kind: "ready" });
await Promise.all(Array.from({ length: writers }, (_, writer) => writeForEver(writer)));
