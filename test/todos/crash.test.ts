import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { TodoCollection } from "../../src/todos/todo-collection.js";
import { parseTodoFile } from "../../src/todos/todo-file.js";
import { openTodoStore } from "../../src/todos/todo-store.js";
import { type CrashRecord, crashTitle } from "./crash-record.js";
import { temporaryFolder } from "./temporary-folder.js";

const rounds = 6;
const victim = fileURLToPath(new URL("crash-writer.ts", import.meta.url));

/** What may be in the file of an item that was once acknowledged. */
interface Expected {
  readonly title: string;
  /** The value acknowledged last, and those that were tried since. */
  completed: readonly boolean[];
  /** Its removal was tried and not acknowledged: both are right. */
  mayBeGone: boolean;
}

/** All that the victims told, over all rounds. */
class Witness {
  readonly #expected = new Map<number, Expected>();
  readonly #usedIds = new Set<number>();
  #triedTitles = new Set<string>();
  acknowledged = 0;

  hear(record: CrashRecord): void {
    switch (record.kind) {
      case "ready":
        return;
      case "create":
        this.#triedTitles.add(crashTitle(record.name));
        return;
      case "created": {
        const title = crashTitle(record.name);
        this.#triedTitles.delete(title);
        this.#use(record.id);
        this.#expected.set(record.id, { title, completed: [false], mayBeGone: false });
        break;
      }
      case "set": {
        const item = this.#item(record.id);
        item.completed = [...item.completed, record.completed];
        return;
      }
      case "was-set":
        this.#item(record.id).completed = [record.completed];
        break;
      case "remove":
        this.#item(record.id).mayBeGone = true;
        return;
      case "removed":
        this.#expected.delete(record.id);
        break;
    }
    this.acknowledged += 1;
  }

  /** Compares with the file that a killed victim left, and takes that as the next round's start. */
  compare(todos: TodoCollection): void {
    const items = todos.list();
    const present = new Set(items.map(({ id }) => id));
    const lost = [...this.#expected].filter(
      ([id, { mayBeGone }]) => !mayBeGone && !present.has(id),
    );
    expect(lost, "acknowledged items that are not in the file").toEqual([]);
    for (const { id, title, completed } of items) {
      const known = this.#expected.get(id);
      if (known) {
        expect(title).toBe(known.title);
        expect(known.completed).toContain(completed);
      } else {
        expect(this.#triedTitles.delete(title), `item ${id} was tried, and not removed`).toBe(true);
        this.#use(id);
      }
    }
    expect(todos.nextId).toBeGreaterThan(Math.max(0, ...this.#usedIds));
    this.#triedTitles = new Set();
    this.#expected.clear();
    for (const { id, title, completed } of items) {
      this.#expected.set(id, { title, completed: [completed], mayBeGone: false });
    }
  }

  #use(id: number): void {
    expect(this.#usedIds.has(id), `id ${id} was given before`).toBe(false);
    this.#usedIds.add(id);
  }

  #item(id: number): Expected {
    const item = this.#expected.get(id);
    if (item === undefined) throw new Error(`the victim speaks of item ${id}, which is not known`);
    return item;
  }
}

/**
 * Runs a victim and kills it at any moment of its work. Gives all that it told.
 *
 * The lines alone would not do as the clock: they come when a write has ended, and so would all the
 * kills. The delay spreads them over a write's steps.
 */
async function runAndKill(path: string, round: number): Promise<CrashRecord[]> {
  const lines = randomInt(1, 200);
  const delayMs = randomInt(30);
  const child = spawn(process.execPath, ["--import", "tsx", victim, path, String(round)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once("exit", (_code, signal) => resolve(signal));
  });
  const told: CrashRecord[] = [];
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      told.push(JSON.parse(line));
      if (told.length === lines) setTimeout(() => child.kill("SIGKILL"), delayMs);
    }
  } finally {
    child.kill("SIGKILL");
  }
  expect(await ended).toBe("SIGKILL");
  return told;
}

test("writers killed at any moment lose nothing that was acknowledged", async () => {
  const path = join(await temporaryFolder(), "todos.json");
  const witness = new Witness();
  for (let round = 0; round < rounds; round += 1) {
    for (const record of await runAndKill(path, round)) witness.hear(record);
    const file = existsSync(path)
      ? TodoCollection.of(parseTodoFile(JSON.parse(readFileSync(path, "utf8"))))
      : TodoCollection.empty();
    witness.compare(file);
    const store = await openTodoStore(path);
    expect(store.list()).toEqual(file.list());
    await store.close();
  }
  expect(witness.acknowledged).toBeGreaterThan(0);
});
