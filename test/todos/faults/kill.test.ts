import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { TodoCollection } from "../../../src/todos/collection/todo-collection.js";
import { parseTodoFile } from "../../../src/todos/file/todo-file.js";
import type { Todo } from "../../../src/todos/todo.js";
import { openTodoStore, type TodoStore } from "../../../src/todos/todo-store.js";
import { temporaryFolder } from "../temporary-folder.js";
import { compileVictim } from "./compiled-victim.js";
import { report } from "./report.js";
import { clockOf, type Order, type Told, titleOf } from "./told.js";
import { type Try, type TryToken, Witness } from "./witness.js";

const ROUNDS = 200;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A process that waits for its order. It is started while the one before is at work. */
class Victim {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #ended: Promise<NodeJS.Signals | null>;

  constructor(program: string) {
    this.#child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] });
    this.#ended = new Promise((resolve) => {
      this.#child.once("exit", (_code, signal) => resolve(signal));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /**
   * Lets it work and kills it at any moment. Gives all that it told.
   *
   * The lines alone would not do as the clock: they come when a write has ended, and so would all
   * the kills. The delay spreads them over a write's steps, and with no line over the start.
   */
  async workAndDie(order: Order): Promise<readonly Told[]> {
    const lines = randomInt(400);
    const delayMs = randomInt(30);
    const kill = () => setTimeout(() => this.#child.kill("SIGKILL"), delayMs);
    this.#child.stdin.write(`${JSON.stringify(order)}\n`);
    const told: Told[] = [];
    if (lines === 0) kill();
    for await (const line of createInterface({ input: this.#child.stdout })) {
      told.push(JSON.parse(line));
      if (told.length === lines) kill();
    }
    expect(await this.#ended).toBe("SIGKILL");
    return told;
  }

  async end(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }
}

/** The witness hears what a victim has told, in order. */
function hear(witness: Witness, told: readonly Told[]): void {
  const tokens = new Map<number, TryToken>();
  for (const one of told) {
    if (one.kind === "tried") {
      tokens.set(one.number, witness.submitted(withTitle(one.wanted)));
    } else if (one.kind === "acknowledged") {
      const token = tokens.get(one.number);
      if (token === undefined) throw new Error(`nothing was tried as ${one.number}`);
      witness.succeeded(token, one.todo && { ...one.todo, title: titleIn(witness, token.wanted) });
    }
  }
}

function withTitle(wanted: Try): Try {
  if (wanted.kind !== "create") return wanted;
  return { ...wanted, title: titleOf({ name: wanted.title, key: wanted.key }) };
}

function titleIn(witness: Witness, wanted: Try): string {
  return (wanted.kind === "create" ? wanted : witness.find(wanted.id))?.title ?? "";
}

function todosIn(path: string): readonly Todo[] {
  if (!existsSync(path)) return [];
  return TodoCollection.of(parseTodoFile(JSON.parse(readFileSync(path, "utf8")))).list();
}

function ownerOf(lock: string): number | undefined {
  return existsSync(lock) ? JSON.parse(readFileSync(lock, "utf8")).pid : undefined;
}

/** Every key that was acknowledged answers as it did. */
async function askAgain(store: TodoStore, witness: Witness): Promise<number> {
  const asked = [...witness.answersByKey].map(async ([key, todo]) => {
    const answer = await createWithKey(store, { title: "another", key });
    expect(isDeepStrictEqual(answer, { todo, origin: "replayed" }), key).toBe(true);
  });
  await Promise.all(asked);
  return asked.length;
}

/** Clients that were not answered ask again: each gets one item, the one that is there or a new one. */
async function retry(
  store: TodoStore,
  witness: Witness,
  unanswered: Witness["openCreations"],
): Promise<void> {
  const answered = unanswered.map(async (wanted) => {
    const { title, key } = wanted;
    if (key === undefined) return;
    const { todo, origin } = await createWithKey(store, { title, key });
    if (origin === "replayed") expect(witness.find(todo.id)).toEqual(todo);
    else witness.succeeded(witness.submitted(wanted), todo);
  });
  await Promise.all(answered);
  const titles = store.list().map(({ title }) => title);
  expect(titles).toHaveLength(new Set(titles).size);
}

function createWithKey(store: TodoStore, { title, key }: { title: string; key: string }) {
  return store.create({ title, completed: false }, { key, fingerprint: "the same" });
}

test(`64 writers killed ${ROUNDS} times lose nothing that was acknowledged`, async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "todos.json");
  const lock = `${path}.lock`;
  const program = await compileVictim(folder);
  const witness = new Witness();
  const figures = { locks: 0, temporaries: 0, untold: 0, asked: 0 };
  let victim = new Victim(program);
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const next = new Victim(program);
      const told = await victim.workAndDie({ path, round });
      const { pid } = victim;
      victim = next;
      hear(witness, told);
      if (told.length > 0) expect(ownerOf(lock)).toBe(pid);
      if (existsSync(lock)) figures.locks += 1;
      if (existsSync(`${path}.tmp`)) figures.temporaries += 1;

      const unanswered = witness.openCreations;
      const todos = todosIn(path);
      if (todos.some(({ id }) => witness.find(id) === undefined)) figures.untold += 1;
      witness.found(todos);
      const clock = clockOf(round);
      const store = await openTodoStore(path, { clock });
      expect(ownerOf(lock)).toBe(process.pid);
      expect(store.list()).toEqual(todos);
      witness.forget(({ createdAt }) => clock() - Date.parse(createdAt) >= DAY_MS);
      figures.asked += await askAgain(store, witness);
      await retry(store, witness, unanswered);
      await store.close();
      expect(existsSync(lock)).toBe(false);
    }
  } finally {
    await victim.end();
  }
  expect(witness.acknowledged).toBeGreaterThan(0);
  report(
    `kill -9: ${ROUNDS} kills, ${witness.acknowledged} acknowledged changes, ` +
      `${figures.asked} keys asked again, ${figures.locks} locks taken over, ` +
      `${figures.temporaries} kills before a rename, ${figures.untold} after a write that nobody was told of`,
  );
}, 600_000);
