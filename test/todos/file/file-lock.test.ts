import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { StartupError } from "../../../src/core/startup-error.js";
import { FileLock, LockHeldError } from "../../../src/todos/file/file-lock.js";
import { STALE_AFTER_MS } from "../../../src/todos/file/lock-verdict.js";
import { openTodoStore } from "../../../src/todos/todo-store.js";
import { temporaryFolder } from "../temporary-folder.js";

const holder = fileURLToPath(new URL("store-holder.ts", import.meta.url));

/** A process that opens a store when it is told to. */
class Holder {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  static async start(path: string): Promise<Holder> {
    const child = spawn(process.execPath, ["--import", "tsx", holder, path], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(async () => {
      child.kill("SIGKILL");
    });
    const started = new Holder(child, createInterface({ input: child.stdout }));
    await started.#line();
    return started;
  }

  private constructor(child: ChildProcess, lines: Interface) {
    this.#child = child;
    this.#lines = lines[Symbol.asyncIterator]();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** `held`, or why not. */
  open(): Promise<string> {
    this.#child.stdin?.write("open\n");
    return this.#line();
  }

  async kill(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }

  async #line(): Promise<string> {
    const { value } = await this.#lines.next();
    return value;
  }
}

async function newPath(): Promise<string> {
  return join(await temporaryFolder(), "todos.json");
}

async function taken(path: string): Promise<FileLock> {
  const lock = await FileLock.acquire(path);
  onTestFinished(() => lock.release());
  return lock;
}

/** Names in the folder of a file. */
const beside = (path: string) => readdir(join(path, ".."));

/** A lock of a process of another host. */
const foreign = JSON.stringify({ pid: 1, host: "there", startedAt: "long ago", token: "x" });

/** Makes a file so old at least: the file system's clock may be behind that of the process. */
async function age(path: string, milliseconds: number): Promise<void> {
  const then = new Date(Date.now() - milliseconds - 1000);
  await utimes(path, then, then);
}

describe("a lock", () => {
  test("says whose it is, and leaves nothing beside it or after it", async () => {
    const path = await newPath();
    const lock = await taken(path);
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({
      pid: process.pid,
      host: hostname(),
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(await beside(path)).toEqual(["todos.json"]);
    await lock.release();
    expect(await beside(path)).toEqual([]);
    await lock.release();
  });

  test("is held against this process too", async () => {
    const path = await newPath();
    await taken(path);
    await expect(FileLock.acquire(path)).rejects.toThrow(LockHeldError);
    expect(await beside(path)).toEqual(["todos.json"]);
  });

  test("of another host is held as long as that touches it, and then taken over", async () => {
    const path = await newPath();
    await writeFile(path, foreign);
    await expect(FileLock.acquire(path)).rejects.toThrow("in use by process 1 on there");
    await age(path, STALE_AFTER_MS);
    await taken(path);
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ pid: process.pid });
    expect(await beside(path)).toEqual(["todos.json"]);
  });

  test.each(["", "{", '{"pid":"x"}'])("that says %j is held until it is old", async (content) => {
    const path = await newPath();
    await writeFile(path, content);
    await expect(FileLock.acquire(path)).rejects.toThrow("in use by another process");
    await age(path, STALE_AFTER_MS);
    await taken(path);
  });

  test("is taken over although an earlier takeover was never finished", async () => {
    const path = await newPath();
    for (const name of [path, `${path}.takeover`, `${path}.takeover.takeover`]) {
      await writeFile(name, foreign);
      await age(name, STALE_AFTER_MS);
    }
    await taken(path);
    expect(await beside(path)).toEqual(["todos.json"]);
  });

  test("that is just being taken over is held", async () => {
    const path = await newPath();
    await writeFile(path, foreign);
    await age(path, STALE_AFTER_MS);
    await writeFile(`${path}.takeover`, foreign);
    await expect(FileLock.acquire(path)).rejects.toThrow(LockHeldError);
    expect(await readFile(path, "utf8")).toBe(foreign);
  });

  test("that was left behind goes to one of many that want it", async () => {
    for (let round = 0; round < 10; round += 1) {
      const path = await newPath();
      await writeFile(path, foreign);
      await age(path, STALE_AFTER_MS);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, () => FileLock.acquire(path)),
      );
      const won = outcomes.flatMap((o) => (o.status === "fulfilled" ? [o.value] : []));
      expect(won).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === "rejected") expect(outcome.reason).toBeInstanceOf(LockHeldError);
      }
      expect(await beside(path)).toEqual(["todos.json"]);
      await won[0]?.release();
    }
  });
});

describe("a holder", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A lock that has not been confirmed for an hour. */
  async function asleep(path: string): Promise<FileLock> {
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
    const lock = await taken(path);
    vi.setSystemTime(Date.now() + 3_600_000);
    return lock;
  }

  test("touches its lock every now and then", async () => {
    const path = await newPath();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    await taken(path);
    await age(path, STALE_AFTER_MS);
    const { mtimeMs } = await stat(path);
    vi.advanceTimersByTime(STALE_AFTER_MS / 2);
    vi.useRealTimers();
    const isTouched = async () => (await stat(path)).mtimeMs > mtimeMs;
    await vi.waitUntil(isTouched, { timeout: 30_000 });
  });

  test("that slept finds its lock, and touches it", async () => {
    const path = await newPath();
    const lock = await asleep(path);
    await utimes(path, 1, 1);
    await lock.confirm();
    expect((await stat(path)).mtimeMs).toBeGreaterThan(1000);
  });

  test("that slept while another one took its lock is told, and leaves that one alone", async () => {
    const path = await newPath();
    const lock = await asleep(path);
    await writeFile(path, foreign);
    await expect(lock.confirm()).rejects.toThrow("in use by process 1 on there");
    await expect(lock.confirm()).rejects.toThrow(LockHeldError);
    await lock.release();
    expect(await readFile(path, "utf8")).toBe(foreign);
  });

  test("whose lock was removed by hand takes it again", async () => {
    const path = await newPath();
    const lock = await asleep(path);
    await rm(path);
    await lock.confirm();
    await expect(FileLock.acquire(path)).rejects.toThrow(LockHeldError);
  });
});

describe("a todo file", () => {
  test("that a process uses is refused to others, with that one's number", async () => {
    const path = await newPath();
    const first = await Holder.start(path);
    expect(await first.open()).toBe("held");
    const error = await openTodoStore(path).catch((caught: unknown) => caught);
    if (!(error instanceof StartupError)) throw new Error("expected a StartupError");
    expect(error.message).toBe(
      `The todo file ${path} is in use by process ${first.pid} on ${hostname()}; one at a time can use it.`,
    );
  });

  test("of a process that was killed is taken over at once, and kept from the next", async () => {
    const path = await newPath();
    const first = await Holder.start(path);
    expect(await first.open()).toBe("held");
    await first.kill();
    expect(await beside(path)).toEqual([`${basename(path)}.lock`]);
    const store = await openTodoStore(path);
    onTestFinished(() => store.close());
    await store.create({ title: "milk", completed: false });
    const second = await Holder.start(path);
    expect(await second.open()).toContain(`in use by process ${process.pid} `);
  });

  test("of a process that was killed goes to one of several that are started together", async () => {
    const path = await newPath();
    const first = await Holder.start(path);
    expect(await first.open()).toBe("held");
    await first.kill();
    const racers = await Promise.all(Array.from({ length: 3 }, () => Holder.start(path)));
    const answers = await Promise.all(racers.map((racer) => racer.open()));
    const winner = racers[answers.indexOf("held")];
    expect(answers.filter((answer) => answer === "held")).toHaveLength(1);
    for (const answer of answers.filter((answer) => answer !== "held")) {
      expect(answer).toContain(`in use by process ${winner?.pid} `);
    }
  });

  test("is free again when its store is closed", async () => {
    const path = await newPath();
    await (await openTodoStore(path)).close();
    const second = await Holder.start(path);
    expect(await second.open()).toBe("held");
  });

  test("in use is refused to a second store of the same process", async () => {
    const path = await newPath();
    const store = await openTodoStore(path);
    onTestFinished(() => store.close());
    await expect(openTodoStore(path)).rejects.toThrow(`in use by process ${process.pid} `);
  });
});
