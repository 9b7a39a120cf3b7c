/**
 * The victim process of the kill test: 64 concurrent writers that change the todo file until
 * killed. It reads its task as one line from standard input, and reports attempted and acknowledged
 * changes on standard output, as JSON lines.
 */
import { once } from "node:events";
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Todo } from "../../../src/todos/todo.js";
import { openTodoStore } from "../../../src/todos/todo-store.js";
import type { AttemptedChange } from "./durability-checker.js";
import { clockOf, titleOf, type VictimEvent, type VictimTask } from "./victim-protocol.js";

const WRITERS = 64;
const MAX_ITEMS_PER_WRITER = 6;

const [line] = await once(createInterface({ input: process.stdin }), "line");
const { path, round }: VictimTask = JSON.parse(String(line));
const store = await openTodoStore(path, { clock: clockOf(round) });
let lastNumber = 0;

/** Synchronous: the event is in the pipe even if the process is killed right after. */
function report(event: VictimEvent): void {
  writeSync(1, `${JSON.stringify(event)}\n`);
}

async function perform(change: AttemptedChange): Promise<Todo | undefined> {
  lastNumber += 1;
  const number = lastNumber;
  report({ kind: "attempted", number, change });
  const answer = await submit(change);
  const { title: _title, ...todo } = answer ?? { title: "" };
  report({ kind: "acknowledged", number, todo: "id" in todo ? todo : undefined });
  return answer;
}

async function submit(change: AttemptedChange): Promise<Todo | undefined> {
  switch (change.kind) {
    case "create": {
      const { title: name, completed, key } = change;
      const idempotency = key === undefined ? undefined : { key, fingerprint: "the same" };
      return (await store.create({ title: titleOf({ name, key }), completed }, idempotency)).todo;
    }
    case "set":
      return store.change(change.id, { completed: change.completed });
    case "remove":
      await store.remove(change.id);
      return undefined;
  }
}

/** Changes only its own items, so that the changes of each item are ordered. */
async function writeUntilKilled(writer: number): Promise<void> {
  const own = store.list().flatMap(({ id }) => (id % WRITERS === writer ? [id] : []));
  for (let turn = 0; ; turn += 1) {
    const name = `round ${round} writer ${writer} turn ${turn}`;
    const key = (turn + writer) % 2 === 0 ? name : undefined;
    const created = await perform({ kind: "create", title: name, completed: false, key });
    if (created !== undefined) own.push(created.id);
    const id = own[turn % own.length];
    if (id === undefined) continue;
    await perform({ kind: "set", id, completed: turn % 3 !== 0 });
    while (own.length >= MAX_ITEMS_PER_WRITER) {
      const oldest = own.shift();
      if (oldest !== undefined) await perform({ kind: "remove", id: oldest });
    }
  }
}

report({ kind: "ready" });
await Promise.all(Array.from({ length: WRITERS }, (_, writer) => writeUntilKilled(writer)));
