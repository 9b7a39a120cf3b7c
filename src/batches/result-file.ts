import { open } from "node:fs/promises";
import { writeAll } from "../files/durable-file.js";
import type { FileSystem, OpenFile } from "../files/file-system.js";
import { unlessMissing } from "../files/system-errors.js";
import { readLines } from "./read-lines.js";

const PRIVATE_MODE = 0o600;

interface PendingLine {
  readonly bytes: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A file to which lines are appended durably. Lines that arrive during a write are written and
 * synced together by the next one. A failed write is cut off before the next one.
 */
export class ResultFile {
  readonly #path: string;
  readonly #files: FileSystem;
  #file: OpenFile | undefined;
  /** Length of the confirmed lines. */
  #bytes: number;
  #isDamaged = true;
  #pending: PendingLine[] = [];
  #running: Promise<void> | undefined;

  /** @param bytes length of the valid content; anything after it is cut off */
  constructor(path: string, bytes: number, files: FileSystem) {
    this.#path = path;
    this.#bytes = bytes;
    this.#files = files;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Appends a line and resolves once it is durable. @param text without a line break */
  append(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ bytes: Buffer.from(`${text}\n`), resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Closes the file once earlier lines are settled. */
  async close(): Promise<void> {
    await this.#running;
    await this.#file?.close();
    this.#file = undefined;
  }

  async #run(): Promise<void> {
    while (this.#pending.length > 0) {
      const group = this.#pending;
      this.#pending = [];
      try {
        await this.#write(group.map(({ bytes }) => bytes));
        for (const { resolve } of group) resolve();
      } catch (error) {
        this.#isDamaged = true;
        for (const { reject } of group) reject(error);
      }
    }
    this.#running = undefined;
  }

  async #write(chunks: readonly Buffer[]): Promise<void> {
    this.#file ??= await this.#open();
    if (this.#isDamaged) await this.#file.truncate(this.#bytes);
    this.#isDamaged = false;
    await writeAll(this.#file, chunks);
    await this.#file.sync();
    for (const { length } of chunks) this.#bytes += length;
  }

  async #open(): Promise<OpenFile> {
    const file = await this.#files.open(this.#path, "a");
    await file.chmod(PRIVATE_MODE);
    return file;
  }
}

/** Maximum length of a result that is read again, in bytes. */
const MAX_RESULT_BYTES = 512 * 2 ** 20;

/**
 * Reads the results that a file has, up to the first line that is incomplete or not JSON: a crash
 * can damage only lines after the last confirmed one.
 * @param onResult called with each result; returns false for a value that is no result
 * @returns length of the valid content
 */
export async function readResults(
  path: string,
  onResult: (value: unknown) => boolean,
): Promise<number> {
  const file = await unlessMissing(open(path, "r"));
  if (file === undefined) return 0;
  let validBytes = 0;
  try {
    for await (const { offset, length, bytes, isTerminated } of readLines(file, MAX_RESULT_BYTES)) {
      if (!isTerminated || bytes === undefined || !isResult(bytes, onResult)) break;
      validBytes = offset + length + 1;
    }
  } finally {
    await file.close();
  }
  return validBytes;
}

function isResult(bytes: Buffer, onResult: (value: unknown) => boolean): boolean {
  try {
    return onResult(JSON.parse(bytes.toString("utf8")));
  } catch {
    return false;
  }
}
