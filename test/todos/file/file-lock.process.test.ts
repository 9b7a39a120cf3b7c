import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { StartupError } from "../../../src/core/startup-error.js";
import { FileLock, LockHeldError, STALE_AFTER_MS } from "../../../src/files/file-lock.js";
import { openTodoStore } from "../../../src/todos/todo-store.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const holder = fileURLToPath(new URL("store-holder.ts", import.meta.url));

/** A process that opens a store on command. */
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

  /** `held`, or the reason for the failure. */
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

async function acquired(path: string): Promise<FileLock> {
  const lock = await FileLock.acquire(path);
  onTestFinished(() => lock.release());
  return lock;
}

/** The file names in the folder of a file. */
const filesBeside = (path: string) => readdir(join(path, ".."));

/** A lock of a process of another host. */
const foreign = JSON.stringify({ pid: 1, host: "there", startedAt: "long ago", token: "x" });

/** Sets a file's mtime back by an additional second, because the file system's clock may lag. */
async function makeOlder(path: string, byMs: number): Promise<void> {
  const past = new Date(Date.now() - byMs - 1000);
  await utimes(path, past, past);
}

describe("a lock", () => {
  test("contains its owner, and leaves no other files", async () => {
    const path = await newPath();
    const lock = await acquired(path);
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({
      pid: process.pid,
      host: hostname(),
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(await filesBeside(path)).toEqual(["todos.json"]);
    await lock.release();
    expect(await filesBeside(path)).toEqual([]);
    await lock.release();
  });

  test("also excludes the process that holds it", async () => {
    const path = await newPath();
    await acquired(path);
    await expect(FileLock.acquire(path)).rejects.toThrow(LockHeldError);
    expect(await filesBeside(path)).toEqual(["todos.json"]);
  });

  test("of another host is respected while it is fresh, and taken over once it is stale", async () => {
    const path = await newPath();
    await writeFile(path, foreign);
    await expect(FileLock.acquire(path)).rejects.toThrow("in use by process 1 on there");
    await makeOlder(path, STALE_AFTER_MS);
    await acquired(path);
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ pid: process.pid });
    expect(await filesBeside(path)).toEqual(["todos.json"]);
  });

  test.each(["", "{", '{"pid":"x"}'])(
    "with the content %j is respected until it is stale",
    async (content) => {
      const path = await newPath();
      await writeFile(path, content);
      await expect(FileLock.acquire(path)).rejects.toThrow("in use by another process");
      await makeOlder(path, STALE_AFTER_MS);
      await acquired(path);
    },
  );

  test("is taken over even if an earlier takeover was interrupted", async () => {
    const path = await newPath();
    for (const name of [path, `${path}.takeover`, `${path}.takeover.takeover`]) {
      await writeFile(name, foreign);
      await makeOlder(name, STALE_AFTER_MS);
    }
    await acquired(path);
    expect(await filesBeside(path)).toEqual(["todos.json"]);
  });

  test("is respected while it is being taken over", async () => {
    const path = await newPath();
    await writeFile(path, foreign);
    await makeOlder(path, STALE_AFTER_MS);
    await writeFile(`${path}.takeover`, foreign);
    await expect(FileLock.acquire(path)).rejects.toThrow(LockHeldError);
    expect(await readFile(path, "utf8")).toBe(foreign);
  });

  test("that is stale is taken over by exactly one of many processes", async () => {
    for (let round = 0; round < 10; round += 1) {
      const path = await newPath();
      await writeFile(path, foreign);
      await makeOlder(path, STALE_AFTER_MS);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, () => FileLock.acquire(path)),
      );
      const won = outcomes.flatMap((o) => (o.status === "fulfilled" ? [o.value] : []));
      expect(won).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === "rejected") expect(outcome.reason).toBeInstanceOf(LockHeldError);
      }
      expect(await filesBeside(path)).toEqual(["todos.json"]);
      await won[0]?.release();
    }
  });
});

describe("the holder of a lock", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A lock that has not been confirmed for an hour. */
  async function suspended(path: string): Promise<FileLock> {
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
    const lock = await acquired(path);
    vi.setSystemTime(Date.now() + 3_600_000);
    return lock;
  }

  test("refreshes its lock periodically", async () => {
    const path = await newPath();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    await acquired(path);
    await makeOlder(path, STALE_AFTER_MS);
    const { mtimeMs } = await stat(path);
    vi.advanceTimersByTime(STALE_AFTER_MS / 2);
    vi.useRealTimers();
    const isRefreshed = async () => (await stat(path)).mtimeMs > mtimeMs;
    await vi.waitUntil(isRefreshed, { timeout: 30_000 });
  });

  test("that was suspended keeps its lock and refreshes it, if no other process has taken it over", async () => {
    const path = await newPath();
    const lock = await suspended(path);
    await utimes(path, 1, 1);
    await lock.confirm();
    expect((await stat(path)).mtimeMs).toBeGreaterThan(1000);
  });

  test("that lost its lock while suspended gets an error, and leaves the new lock unmodified", async () => {
    const path = await newPath();
    const lock = await suspended(path);
    await writeFile(path, foreign);
    await expect(lock.confirm()).rejects.toThrow("in use by process 1 on there");
    await expect(lock.confirm()).rejects.toThrow(LockHeldError);
    await lock.release();
    expect(await readFile(path, "utf8")).toBe(foreign);
  });

  test("whose lock file was removed manually acquires it again", async () => {
    const path = await newPath();
    const lock = await suspended(path);
    await rm(path);
    await lock.confirm();
    await expect(FileLock.acquire(path)).rejects.toThrow(LockHeldError);
  });
});

describe("a todo file", () => {
  test("in use is refused to other processes, with the PID of its owner", async () => {
    const path = await newPath();
    const first = await Holder.start(path);
    expect(await first.open()).toBe("held");
    const error = await openTodoStore(path).catch((caught: unknown) => caught);
    if (!(error instanceof StartupError)) throw new Error("expected a StartupError");
    expect(error.message).toBe(
      `--todos ${path}: the to-do file is in use by process ${first.pid} on ${hostname()}; only one process at a time can use it. A second daemon needs its own.`,
    );
  });

  test("of a killed process is taken over immediately, and then refused to a third process", async () => {
    const path = await newPath();
    const first = await Holder.start(path);
    expect(await first.open()).toBe("held");
    await first.kill();
    expect(await filesBeside(path)).toEqual([`${basename(path)}.lock`]);
    const store = await openTodoStore(path);
    onTestFinished(() => store.close());
    await store.create({ title: "milk", completed: false });
    const second = await Holder.start(path);
    expect(await second.open()).toContain(`in use by process ${process.pid} `);
  });

  test("of a killed process is taken over by exactly one of several concurrent processes", async () => {
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

  test("is released when its store is closed", async () => {
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
