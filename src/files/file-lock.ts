import { randomUUID } from "node:crypto";
import { link, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import {
  type ProcessIdentity,
  type ProcessState,
  readOwnIdentity,
  readProcessState,
} from "./process-identity.js";
import { errorCodeOf, unlessMissing } from "./system-errors.js";

/** A lock, as its holder uses it. */
export interface Lock {
  /** Verifies that the lock is still held. @throws {LockHeldError} */
  confirm(): Promise<void>;
  /** Releases the lock, unless another process has taken it over. Never rejects. */
  release(): Promise<void>;
}

/** Another holder has the lock. */
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
  /** Distinguishes the locks of one process. */
  token: z.string(),
});
type LockContent = z.infer<typeof lockContent>;

/**
 * Heartbeat interval of the holder. Other hosts treat a lock as stale after one minute without a
 * heartbeat.
 */
const HEARTBEAT_MS = 15_000;

/** After a pause of this length (a suspend), the holder verifies that it still has the lock. */
const CONFIRM_AFTER_MS = 2 * HEARTBEAT_MS;

/** An attempt fails when the lock was released in the meantime, or is being taken over. */
const MAX_ATTEMPTS = 100;
/** A takeover takes some milliseconds, after which the owner of the lock is settled. */
const RETRY_DELAY_MS = 10;

/** Error codes of file systems without hard links. */
const linkUnsupportedCodes = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/**
 * An exclusive lock: a file that names its owner and is created atomically with its content. It is
 * advisory: it excludes only processes that acquire it too.
 */
export class FileLock implements Lock {
  readonly #path: string;
  readonly #content: LockContent;
  #heartbeat: NodeJS.Timeout | undefined;
  #confirmedAt = Date.now();

  /**
   * Acquires a lock. A stale lock is taken over.
   * @throws {LockHeldError} when it is held
   * @throws {Error} when no file can be created there
   */
  static async acquire(path: string): Promise<FileLock> {
    const content = { ...(await readOwnIdentity()), token: randomUUID() };
    await acquireLock(path, content);
    return new FileLock(path, content);
  }

  private constructor(path: string, content: LockContent) {
    this.#path = path;
    this.#content = content;
    this.#heartbeat = setInterval(() => this.#touch().catch(() => undefined), HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  async confirm(): Promise<void> {
    if (Math.abs(Date.now() - this.#confirmedAt) >= CONFIRM_AFTER_MS) await this.#touch();
  }

  async release(): Promise<void> {
    clearInterval(this.#heartbeat);
    const found = await readFile(this.#path, "utf8").catch(() => "");
    if (parseLock(found)?.token === this.#content.token) await remove(this.#path);
  }

  /**
   * Rewrites the lock unchanged: its mtime is then set by the file system's clock, which all hosts
   * share. A missing lock was removed by hand, and is acquired again.
   */
  async #touch(): Promise<void> {
    const found = await unlessMissing(readFile(this.#path, "utf8"));
    if (found === undefined) {
      await acquireLock(this.#path, this.#content);
    } else {
      const owner = parseLock(found);
      if (owner?.token !== this.#content.token) throw new LockHeldError(owner);
      await writeFile(this.#path, serialiseContent(this.#content), { flag: "r+" });
    }
    this.#confirmedAt = Date.now();
  }
}

/**
 * Creates the lock, or takes over a stale one.
 *
 * A takeover requires the guard, a second lock, and examines the lock again under it. So if two
 * processes find the same stale lock, one replaces it, and the other waits for that and finds it
 * held.
 */
async function acquireLock(path: string, content: LockContent): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    if (await create(path, content)) return;
    if ((await examine(path, content)) === "free") continue;
    const guardPath = `${path}.takeover`;
    if ((await tryAcquireLock(guardPath, content)) === "held") {
      await setTimeout(RETRY_DELAY_MS);
      continue;
    }
    try {
      if ((await examine(path, content)) === "free") continue;
      await withTemporary(path, content, (temporary) => rename(temporary, path));
      return;
    } finally {
      await remove(guardPath);
    }
  }
  throw new LockHeldError(undefined);
}

async function tryAcquireLock(path: string, content: LockContent): Promise<"acquired" | "held"> {
  try {
    await acquireLock(path, content);
    return "acquired";
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
    owner === undefined ? ({ kind: "gone" } as const) : await readProcessState(owner.pid);
  if (classifyLock(found, { self, ownerState }) === "held") throw new LockHeldError(owner);
  return "stale";
}

/** Undefined when there is no lock. Age by the file system's clock, which all hosts share. */
async function findLock(path: string, self: LockContent): Promise<FoundLock | undefined> {
  const file = await unlessMissing(open(path, "r"));
  if (file === undefined) return undefined;
  try {
    const owner = parseLock(await file.readFile("utf8"));
    const { mtimeMs } = await file.stat();
    const now = await withTemporary(path, self, (temporary) => stat(temporary));
    return { owner, ageMs: now.mtimeMs - mtimeMs };
  } finally {
    await file.close();
  }
}

/** False when there is a lock. A hard link appears atomically, with its content complete. */
async function create(path: string, content: LockContent): Promise<boolean> {
  try {
    await withTemporary(path, content, (temporary) => link(temporary, path));
    return true;
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") return false;
    if (linkUnsupportedCodes.has(errorCodeOf(error))) return createExclusively(path, content);
    throw error;
  }
}

/**
 * Creates a lock on a file system without hard links. The lock is empty for a moment; other
 * processes treat an empty lock as held.
 */
async function createExclusively(path: string, content: LockContent): Promise<boolean> {
  try {
    await writeFile(path, serialiseContent(content), { flag: "wx" });
    return true;
  } catch (error) {
    if (errorCodeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Passes a unique temporary file with the lock's content to `use`, and removes it afterwards. */
async function withTemporary<Result>(
  path: string,
  content: LockContent,
  use: (temporary: string) => Promise<Result>,
): Promise<Result> {
  const temporary = `${path}.${randomUUID()}`;
  try {
    const file = await open(temporary, "wx");
    try {
      await file.writeFile(serialiseContent(content));
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

function serialiseContent(content: LockContent): string {
  return `${JSON.stringify(content)}\n`;
}

async function remove(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined);
}

/** Age at which a lock without a heartbeat is stale, if the owner's process cannot be checked. */
export const STALE_AFTER_MS = 60_000;

export interface FoundLock {
  /** Undefined when the lock cannot be parsed: it is being written, or damaged. */
  readonly owner: ProcessIdentity | undefined;
  /** Milliseconds since the owner's last heartbeat, by the file system's clock. */
  readonly ageMs: number;
}

export interface Observer {
  /** The process that examines the lock. */
  readonly self: ProcessIdentity;
  /** State of the process with the owner's PID; meaningless if the owner is on another host. */
  readonly ownerState: ProcessState;
}

/**
 * Whether a lock is held or stale. An owner on this host is looked up by PID, and distinguished
 * from a later process with the same PID by boot id and start time. If the owner is on another
 * host, or cannot be parsed, only the lock's age decides.
 */
export function classifyLock(
  { owner, ageMs }: FoundLock,
  { self, ownerState }: Observer,
): "held" | "stale" {
  if (owner === undefined || owner.host !== self.host) {
    return ageMs >= STALE_AFTER_MS ? "stale" : "held";
  }
  if (differ(owner.bootId, self.bootId) || ownerState.kind === "gone") return "stale";
  if (differ(owner.startTicks, ownerState.startTicks)) return "stale";
  // Without start times from the system, this process can still compare its own.
  return owner.pid === self.pid && owner.startedAt !== self.startedAt ? "stale" : "held";
}

/** Whether two values are both known and differ. */
function differ<Value>(a: Value | undefined, b: Value | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}
