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
import { temporaryFolder } from "../../support/temporary-folder.js";
import { compileVictim } from "./compiled-victim.js";
import {
  type AttemptedChange,
  type AttemptToken,
  DurabilityChecker,
} from "./durability-checker.js";
import { report } from "./report.js";
import { clockOf, titleOf, type VictimEvent, type VictimTask } from "./victim-protocol.js";

const ROUNDS = 25;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A process that waits for its task; it is started while the previous one is running. */
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
   * Runs it, kills it at a random moment, and returns its events.
   *
   * Counting output lines alone would align the kills with the ends of writes, when lines appear.
   * The random delay spreads the kills over the steps of a write, and with no lines over the
   * startup.
   */
  async runAndKill(task: VictimTask): Promise<readonly VictimEvent[]> {
    const lineCount = randomInt(400);
    const delayMs = randomInt(30);
    const kill = () => setTimeout(() => this.#child.kill("SIGKILL"), delayMs);
    this.#child.stdin.write(`${JSON.stringify(task)}\n`);
    const events: VictimEvent[] = [];
    if (lineCount === 0) kill();
    for await (const line of createInterface({ input: this.#child.stdout })) {
      events.push(JSON.parse(line));
      if (events.length === lineCount) kill();
    }
    expect(await this.#ended).toBe("SIGKILL");
    return events;
  }

  async end(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }
}

/** Passes the events of a victim to the checker, in order. */
function replay(checker: DurabilityChecker, events: readonly VictimEvent[]): void {
  const tokens = new Map<number, AttemptToken>();
  for (const event of events) {
    if (event.kind === "attempted") {
      tokens.set(event.number, checker.submitted(withTitle(event.change)));
    } else if (event.kind === "acknowledged") {
      const token = tokens.get(event.number);
      if (token === undefined) throw new Error(`no attempt has the number ${event.number}`);
      const { todo } = event;
      checker.acknowledged(token, todo && { ...todo, title: titleIn(checker, token.change) });
    }
  }
}

function withTitle(change: AttemptedChange): AttemptedChange {
  if (change.kind !== "create") return change;
  return { ...change, title: titleOf({ name: change.title, key: change.key }) };
}

function titleIn(checker: DurabilityChecker, change: AttemptedChange): string {
  return (change.kind === "create" ? change : checker.find(change.id))?.title ?? "";
}

function todosIn(path: string): readonly Todo[] {
  if (!existsSync(path)) return [];
  return TodoCollection.of(parseTodoFile(JSON.parse(readFileSync(path, "utf8")))).list();
}

function ownerOf(lock: string): number | undefined {
  return existsSync(lock) ? JSON.parse(readFileSync(lock, "utf8")).pid : undefined;
}

/** Checks that every acknowledged key replays its answer. */
async function replayKeys(store: TodoStore, checker: DurabilityChecker): Promise<number> {
  const replays = [...checker.answersByKey].map(async ([key, todo]) => {
    const answer = await createWithKey(store, { title: "another", key });
    expect(isDeepStrictEqual(answer, { todo, origin: "replayed" }), key).toBe(true);
  });
  await Promise.all(replays);
  return replays.length;
}

/** Retries creations without an answer: each yields one item, the existing one or a new one. */
async function retry(
  store: TodoStore,
  checker: DurabilityChecker,
  unanswered: DurabilityChecker["unacknowledgedCreations"],
): Promise<void> {
  const retries = unanswered.map(async (creation) => {
    const { title, key } = creation;
    if (key === undefined) return;
    const { todo, origin } = await createWithKey(store, { title, key });
    if (origin === "replayed") expect(checker.find(todo.id)).toEqual(todo);
    else checker.acknowledged(checker.submitted(creation), todo);
  });
  await Promise.all(retries);
  const titles = store.list().map(({ title }) => title);
  expect(titles).toHaveLength(new Set(titles).size);
}

function createWithKey(store: TodoStore, { title, key }: { title: string; key: string }) {
  return store.create({ title, completed: false }, { key, fingerprint: "the same" });
}

test(`${ROUNDS} kills of a process with 64 writers lose no acknowledged change`, async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "todos.json");
  const lock = `${path}.lock`;
  const program = await compileVictim(folder);
  const checker = new DurabilityChecker();
  const counts = { locks: 0, temporaries: 0, unreported: 0, replays: 0 };
  let victim = new Victim(program);
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const next = new Victim(program);
      const events = await victim.runAndKill({ path, round });
      const { pid } = victim;
      victim = next;
      replay(checker, events);
      if (events.length > 0) expect(ownerOf(lock)).toBe(pid);
      if (existsSync(lock)) counts.locks += 1;
      if (existsSync(`${path}.tmp`)) counts.temporaries += 1;

      const unanswered = checker.unacknowledgedCreations;
      const todos = todosIn(path);
      if (todos.some(({ id }) => checker.find(id) === undefined)) counts.unreported += 1;
      checker.recovered(todos);
      const clock = clockOf(round);
      const store = await openTodoStore(path, { clock });
      expect(ownerOf(lock)).toBe(process.pid);
      expect(store.list()).toEqual(todos);
      checker.dropKeys(({ createdAt }) => clock() - Date.parse(createdAt) >= DAY_MS);
      counts.replays += await replayKeys(store, checker);
      await retry(store, checker, unanswered);
      await store.close();
      expect(existsSync(lock)).toBe(false);
    }
  } finally {
    await victim.end();
  }
  expect(checker.acknowledgedCount).toBeGreaterThan(0);
  report(
    `kill -9: ${ROUNDS} kills, ${checker.acknowledgedCount} acknowledged changes, ` +
      `${counts.replays} keys replayed, ${counts.locks} locks taken over, ` +
      `${counts.temporaries} kills before a rename, ` +
      `${counts.unreported} between a write and its acknowledgement`,
  );
  // Starts the compiler first, then a process for each kill.
}, 600_000);
