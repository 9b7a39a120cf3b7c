import { constants, type FileHandle, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { formatReason } from "../../core/format-reason.js";
import { expectRegularFile, NON_BLOCKING } from "../../files/regular-files.js";
import { unlessMissing } from "../../files/system-errors.js";

export interface RotatedFileOptions {
  /** Size of all files together, in bytes. */
  readonly maxBytes: number;
  /** Age at which a file is removed, counted from its last line, in milliseconds. */
  readonly maxAgeMs: number;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** Called with the reason when lines are dropped, once until a line is written again. */
  readonly reportLoss: (reason: string) => void;
}

/** Files that the size is divided among: the loss of the oldest one is a small part. */
const FILES = 8;
/** Lines that wait for a slow disk, in bytes; further lines are dropped. */
const MAX_WAITING_BYTES = 16 * 2 ** 20;
/** Interval of the check for files that are too old. */
const CHECK_EVERY_MS = 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Only the owner of the daemon may read prompts and answers. */
const MODE = 0o600;
const { O_WRONLY, O_APPEND, O_CREAT } = constants;

/** Name of a former file, after that of the current one: the time of its last line. */
const FORMER = /^\.(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/;

/**
 * A file of lines that never makes its writer wait. It is renamed when it has an eighth of the
 * size, and at the beginning of a day (UTC); the oldest files are removed beyond the size and the
 * age. Only one process may have it open.
 */
export class RotatedFile {
  readonly #path: string;
  readonly #options: RotatedFileOptions;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #file: FileHandle | undefined;
  #bytes = 0;
  /** Time of the last line in the current file, in milliseconds since 1970. */
  #lastLineAt = 0;
  /** Time in the name of the latest former file. */
  #rotatedAt = 0;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #work: Promise<void> = Promise.resolve();
  #state: "writing" | "losing" = "writing";
  #droppedLines = 0;

  /** @throws {Error} if the file cannot be opened */
  static async open(path: string, options: RotatedFileOptions): Promise<RotatedFile> {
    const rotated = new RotatedFile(path, options);
    try {
      await rotated.#openFile();
      await rotated.maintain();
      return rotated;
    } catch (error) {
      await rotated.close();
      throw error;
    }
  }

  private constructor(path: string, options: RotatedFileOptions) {
    this.#path = path;
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#timer = setInterval(() => void this.maintain(), CHECK_EVERY_MS);
    this.#timer.unref();
  }

  /** Lines that could not be written since the file was opened. */
  get droppedLines(): number {
    return this.#droppedLines;
  }

  /** @param line with its line break */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      this.#drop(1, "the disk is too slow");
      return;
    }
    this.#waitingBytes += bytes;
    this.#waiting.push(line);
    if (this.#waiting.length === 1) this.#enqueue(() => this.#writeWaiting());
  }

  /** Renames a file of an earlier day, and removes files that are too old. Never rejects. */
  maintain(): Promise<void> {
    return this.#enqueue(async () => {
      if (this.#bytes > 0 && toDay(this.#lastLineAt) !== toDay(this.#now())) await this.#rotate();
      await this.#removeOldFiles();
    });
  }

  /** Resolves when all lines are written or dropped. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#work;
    await this.#file?.close();
    this.#file = undefined;
  }

  /** Runs tasks one after another; the reason of a failed one is reported. */
  #enqueue(task: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(task).catch((error: unknown) => {
      this.#report(formatReason(error));
    });
    return this.#work;
  }

  async #writeWaiting(): Promise<void> {
    const lines = this.#waiting;
    this.#waiting = [];
    // The lines count as waiting until they are written.
    const text = Buffer.from(lines.join(""));
    try {
      await this.#prepare(text.length);
      await this.#append(text);
      this.#state = "writing";
    } catch (error) {
      this.#drop(lines.length, formatReason(error));
    } finally {
      this.#waitingBytes -= text.length;
    }
  }

  async #prepare(bytes: number): Promise<void> {
    const isFull = this.#bytes > 0 && this.#bytes + bytes > this.#options.maxBytes / FILES;
    const isOfEarlierDay = this.#bytes > 0 && toDay(this.#lastLineAt) !== toDay(this.#now());
    if (!isFull && !isOfEarlierDay) return;
    await this.#rotate();
    await this.#removeOldFiles();
  }

  async #append(text: Buffer): Promise<void> {
    this.#file ??= await this.#openFile();
    try {
      await this.#file.appendFile(text);
    } catch (error) {
      // A part of a line would make the next one unreadable.
      await this.#file.truncate(this.#bytes).catch(() => undefined);
      throw error;
    }
    this.#bytes += text.length;
    this.#lastLineAt = this.#now();
  }

  async #openFile(): Promise<FileHandle> {
    const file = await open(this.#path, O_WRONLY | O_APPEND | O_CREAT | NON_BLOCKING, MODE);
    this.#file = file;
    const stats = await file.stat();
    expectRegularFile(stats);
    this.#bytes = stats.size;
    this.#lastLineAt = stats.mtimeMs;
    return file;
  }

  async #rotate(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    // Later than the time of any other file, also of one with lines of the same millisecond.
    let at = Math.max(Math.floor(this.#lastLineAt), this.#rotatedAt + 1);
    while ((await unlessMissing(stat(`${this.#path}${toSuffix(at)}`))) !== undefined) at++;
    // An operator may have moved or removed the file.
    await unlessMissing(rename(this.#path, `${this.#path}${toSuffix(at)}`));
    this.#rotatedAt = at;
    this.#bytes = 0;
    await this.#openFile();
  }

  async #removeOldFiles(): Promise<void> {
    const { maxBytes, maxAgeMs } = this.#options;
    const oldestAllowed = this.#now() - maxAgeMs;
    let room = maxBytes - maxBytes / FILES;
    for (const { path, endedAt } of await this.#listFormerFiles()) {
      room -= (await stat(path)).size;
      if (room < 0 || endedAt < oldestAllowed) await rm(path, { force: true });
    }
  }

  /** Newest first. */
  async #listFormerFiles(): Promise<readonly FormerFile[]> {
    const folder = dirname(this.#path);
    const name = basename(this.#path);
    const files = (await readdir(folder)).flatMap((entry): readonly FormerFile[] => {
      const endedAt = entry.startsWith(name) ? parseSuffix(entry.slice(name.length)) : undefined;
      return endedAt === undefined ? [] : [{ path: join(folder, entry), endedAt }];
    });
    return files.toSorted((one, other) => other.endedAt - one.endedAt);
  }

  #drop(lines: number, reason: string): void {
    this.#droppedLines += lines;
    this.#report(reason);
  }

  #report(reason: string): void {
    if (this.#state === "writing") this.#options.reportLoss(reason);
    this.#state = "losing";
  }
}

interface FormerFile {
  readonly path: string;
  /** Time of its last line, in milliseconds since 1970. */
  readonly endedAt: number;
}

function toDay(epochMs: number): number {
  return Math.floor(epochMs / DAY_MS);
}

/** `.20261129T103000000Z` */
function toSuffix(epochMs: number): string {
  return `.${new Date(epochMs).toISOString().replaceAll(/[-:.]/g, "")}`;
}

function parseSuffix(suffix: string): number | undefined {
  const parts = FORMER.exec(suffix)?.slice(1).map(Number);
  if (parts === undefined) return undefined;
  const [year = 0, month = 0, ...others] = parts;
  return Date.UTC(year, month - 1, ...others);
}
