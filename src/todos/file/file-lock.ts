import { randomUUID } from "node:crypto";
import { link, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { errorCodeOf, unlessMissing } from "./error-code.js";
import { type FoundLock, lockVerdict } from "./lock-verdict.js";
import { ownIdentity, type ProcessIdentity, processState } from "./process-identity.js";

/** What a holder of a lock does with it. */
export interface Lock {
  /** Makes sure that the lock is still held. @throws {LockHeldError} */
  confirm(): Promise<void>;
  /** Gives the lock back, unless it is somebody else's by now. Never rejects. */
  release(): Promise<void>;
}

/** Somebody else has the lock. */
export class LockHeldError extends Error {
  override readonly name = "LockHeldError";
  /** Undefined when the lock cannot be read. */
  readonly owner: ProcessIdentity | undefined;

  constructor(owner: ProcessIdentity | undefined) {
    super(owner ? `in use by process ${owner.pid} on ${owner.host}` : "in use by another process");
    this.owner = owner;
  }
}

const lockContent = z.object({
  pid: z.int().positive(),
  host: z.string(),
  startedAt: z.string(),
  bootId: z.string().optional(),
  startTicks: z.number().optional(),
  /** Tells the locks of one process apart. */
  token: z.string(),
});
type LockContent = z.infer<typeof lockContent>;

/** The holder touches the lock so often; another host believes it for a minute. */
const REFRESH_MS = 15_000;

/** A process that slept for longer than this asks whether the lock is still its own. */
const CONFIRM_AFTER_MS = 2 * REFRESH_MS;

/** Rounds in which the lock was somebody's who then gave it back, or was being taken over. */
const MOST_ROUNDS = 100;
/** A takeover takes some milliseconds; then it is known whose the lock is. */
const PAUSE_MS = 10;

/** File systems that have no hard links. */
const linkUnsupported = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/**
 * An exclusive lock: a file that says whose it is, made in one step with its content. It keeps
 * other processes away that ask for it as well, and nobody else.
 */
export class FileLock implements Lock {
  readonly #path: string;
  readonly #content: LockContent;
  #refresh: NodeJS.Timeout | undefined;
  #confirmedAt = Date.now();

  /**
   * Takes a lock. One that was left behind is taken over.
   * @throws {LockHeldError} when it is held
   * @throws {Error} when no file can be made there
   */
  static async acquire(path: string): Promise<FileLock> {
    const content = { ...(await ownIdentity()), token: randomUUID() };
    await take(path, content);
    return new FileLock(path, content);
  }

  private constructor(path: string, content: LockContent) {
    this.#path = path;
    this.#content = content;
    this.#refresh = setInterval(() => this.#touch().catch(() => undefined), REFRESH_MS);
    this.#refresh.unref();
  }

  async confirm(): Promise<void> {
    if (Math.abs(Date.now() - this.#confirmedAt) >= CONFIRM_AFTER_MS) await this.#touch();
  }

  async release(): Promise<void> {
    clearInterval(this.#refresh);
    const found = await readFile(this.#path, "utf8").catch(() => "");
    if (parseLock(found)?.token === this.#content.token) await remove(this.#path);
  }

  /**
   * Writes the lock again as it is: so its time is that of the file system, as for everybody who
   * looks at it. A lock that is gone was removed by hand, and is taken again.
   */
  async #touch(): Promise<void> {
    const found = await unlessMissing(readFile(this.#path, "utf8"));
    if (found === undefined) {
      await take(this.#path, this.#content);
    } else {
      const owner = parseLock(found);
      if (owner?.token !== this.#content.token) throw new LockHeldError(owner);
      await writeFile(this.#path, textOf(this.#content), { flag: "r+" });
    }
    this.#confirmedAt = Date.now();
  }
}

/**
 * Makes the lock, or takes over one that was left behind.
 *
 * Only who holds the guard, a lock of its own, may replace a lock; and looks at it again before. So
 * of two that find the same lock left behind one replaces it, and the other, which waits for that,
 * finds it held.
 */
async function take(path: string, content: LockContent): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    if (await create(path, content)) return;
    if ((await examine(path, content)) === "free") continue;
    const guard = `${path}.takeover`;
    if ((await takeUnlessHeld(guard, content)) === "held") {
      await setTimeout(PAUSE_MS);
      continue;
    }
    try {
      if ((await examine(path, content)) === "free") continue;
      await withTemporary(path, content, (temporary) => rename(temporary, path));
      return;
    } finally {
      await remove(guard);
    }
  }
  throw new LockHeldError(undefined);
}

async function takeUnlessHeld(path: string, content: LockContent): Promise<"taken" | "held"> {
  try {
    await take(path, content);
    return "taken";
  } catch (error) {
    if (error instanceof LockHeldError) return "held";
    throw error;
  }
}

/** @throws {LockHeldError} */
async function examine(path: string, self: LockContent): Promise<"stale" | "free"> {
  const found = await findLock(path, self);
  if (found === undefined) return "free";
  const { owner } = found;
  const ownerState =
    owner === undefined ? ({ kind: "gone" } as const) : await processState(owner.pid);
  if (lockVerdict(found, { self, ownerState }) === "held") throw new LockHeldError(owner);
  return "stale";
}

/** Undefined when there is no lock. Its age is by the file system's clock, which all hosts share. */
async function findLock(path: string, self: LockContent): Promise<FoundLock | undefined> {
  const file = await unlessMissing(open(path, "r"));
  if (file === undefined) return undefined;
  try {
    const owner = parseLock(await file.readFile("utf8"));
    const { mtimeMs } = await file.stat();
    const now = await withTemporary(path, self, (temporary) => stat(temporary));
    return { owner, age: now.mtimeMs - mtimeMs };
  } finally {
    await file.close();
  }
}

/** False when there is a lock. A link appears in one step, and the content is there before it. */
async function create(path: string, content: LockContent): Promise<boolean> {
  try {
    await withTemporary(path, content, (temporary) => link(temporary, path));
    return true;
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") return false;
    if (linkUnsupported.has(errorCodeOf(error))) return createExclusively(path, content);
    throw error;
  }
}

/** Where there are no links: for a moment the lock is empty, which others take for held. */
async function createExclusively(path: string, content: LockContent): Promise<boolean> {
  try {
    await writeFile(path, textOf(content), { flag: "wx" });
    return true;
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** A file of its own that says whose lock it is, for as long as it is used. */
async function withTemporary<Result>(
  path: string,
  content: LockContent,
  use: (temporary: string) => Promise<Result>,
): Promise<Result> {
  const temporary = `${path}.${randomUUID()}`;
  try {
    const file = await open(temporary, "wx");
    try {
      await file.writeFile(textOf(content));
      await file.sync();
    } finally {
      await file.close();
    }
    return await use(temporary);
  } finally {
    await remove(temporary);
  }
}

function parseLock(text: string): LockContent | undefined {
  try {
    return lockContent.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function textOf(content: LockContent): string {
  return `${JSON.stringify(content)}\n`;
}

async function remove(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined);
}
