/**
 * The victim of the kill test: 64 writers that change the todo file at the same time, for ever. It
 * waits for a line that says which file, and tells on standard output what it tries and what was
 * acknowledged, in JSON lines.
 */
import { once } from "node:events";
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Todo } from "../../../src/todos/todo.js";
import { openTodoStore } from "../../../src/todos/todo-store.js";
import { clockOf, type Order, type Told, titleOf } from "./told.js";
import type { Try } from "./witness.js";

const WRITERS = 64;
const MOST_ITEMS_OF_A_WRITER = 6;

const [line] = await once(createInterface({ input: process.stdin }), "line");
const { path, round }: Order = JSON.parse(String(line));
const store = await openTodoStore(path, { clock: clockOf(round) });
let lastNumber = 0;

/** Synchronous: what was told is in the pipe, also when the next moment is the last. */
function tell(told: Told): void {
  writeSync(1, `${JSON.stringify(told)}\n`);
}

async function change(wanted: Try): Promise<Todo | undefined> {
  lastNumber += 1;
  const number = lastNumber;
  tell({ kind: "tried", number, wanted });
  const answer = await submit(wanted);
  const { title: _title, ...todo } = answer ?? { title: "" };
  tell({ kind: "acknowledged", number, todo: "id" in todo ? todo : undefined });
  return answer;
}

async function submit(wanted: Try): Promise<Todo | undefined> {
  switch (wanted.kind) {
    case "create": {
      const { title: name, completed, key } = wanted;
      const idempotency = key === undefined ? undefined : { key, fingerprint: "the same" };
      return (await store.create({ title: titleOf({ name, key }), completed }, idempotency)).todo;
    }
    case "set":
      return store.change(wanted.id, { completed: wanted.completed });
    case "remove":
      await store.remove(wanted.id);
      return undefined;
  }
}

/** Changes only its own items, so that what is known of an item is known in order. */
async function writeForEver(writer: number): Promise<void> {
  const own = store.list().flatMap(({ id }) => (id % WRITERS === writer ? [id] : []));
  for (let turn = 0; ; turn += 1) {
    const name = `round ${round} writer ${writer} turn ${turn}`;
    const key = (turn + writer) % 2 === 0 ? name : undefined;
    const created = await change({ kind: "create", title: name, completed: false, key });
    if (created !== undefined) own.push(created.id);
    const id = own[turn % own.length];
    if (id === undefined) continue;
    await change({ kind: "set", id, completed: turn % 3 !== 0 });
    while (own.length >= MOST_ITEMS_OF_A_WRITER) {
      const oldest = own.shift();
      if (oldest !== undefined) await change({ kind: "remove", id: oldest });
    }
  }
}

tell({ kind: "ready" });
await Promise.all(Array.from({ length: WRITERS }, (_, writer) => writeForEver(writer)));
