import { setMaxListeners } from "node:events";
import type { FileHandle } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { NO_RESULTS, type ResultKind } from "../core/batch-activity.js";
import type { Batch, LineCounts } from "./batch.js";
import type { LineSource } from "./batch-runner.js";
import type { IndexedInput } from "./index-input.js";
import type { LineIndex } from "./line-index.js";
import type { LineCounters } from "./line-meter.js";
import { type ResultFile, readResults } from "./result-file.js";
import type { LineOutcome, ResultFormat } from "./result-format.js";
import type { LineAnswer } from "./retry-policy.js";

/** Lines without an answer whose results are written and synced together. */
const WRITTEN_AT_ONCE = 256;

export interface BatchRunOptions {
  readonly batch: Batch;
  readonly input: FileHandle;
  readonly index: LineIndex;
  readonly results: RecoveredResults;
  readonly output: ResultFile;
  readonly errors: ResultFile;
  readonly format: ResultFormat;
  /** Time until a failed write is repeated, in milliseconds. */
  readonly storagePauseMs: number;
  /** Returns the counters of lines that name a model. */
  readonly countersOf: (model: string) => LineCounters;
  /** Called when the last line has its result. */
  readonly onDone: () => void;
  /** Called when a result could not be written; it is written again later. */
  readonly onFailed: (error: unknown) => void;
}

/** A batch whose lines run, with the state of each line. */
export class BatchRun implements LineSource {
  readonly #options: BatchRunOptions;
  readonly #controller = new AbortController();
  readonly #counts: Record<ResultKind, number>;
  /** By the name of the model. */
  readonly #counters = new Map<string, LineCounters>();
  #remaining: number;
  #running = 0;
  #onIdle: (() => void)[] = [];

  constructor(options: BatchRunOptions) {
    this.#options = options;
    setMaxListeners(0, this.signal);
    const { results, index } = options;
    this.#counts = { ...results.counts };
    this.#remaining = index.size - results.doneCount;
    for (const line of this.listRemaining()) this.#countersOf(line).add();
  }

  get id(): string {
    return this.#options.batch.id;
  }

  get owner(): string {
    return this.#options.batch.owner;
  }

  get index(): LineIndex {
    return this.#options.index;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get counts(): LineCounts {
    return { total: this.index.size, ...this.#counts };
  }

  /** Number of lines without a result. */
  get remaining(): number {
    return this.#remaining;
  }

  /** Lines without a result. */
  *listRemaining(): Generator<number, void> {
    const { done } = this.#options.results;
    for (let line = 0; line < this.index.size; line++) if (done[line] === 0) yield line;
  }

  async readLine(line: number): Promise<string> {
    const { offset, length } = this.index.locate(line);
    const buffer = Buffer.allocUnsafe(length);
    const { bytesRead } = await this.#options.input.read(buffer, 0, length, offset);
    if (bytesRead < length) throw new Error(`expected ${length} bytes of a line, got ${bytesRead}`);
    return buffer.toString("utf8");
  }

  begin(line: number): () => void {
    this.#running++;
    const endCounting = this.#countersOf(line).begin();
    return () => {
      endCounting();
      if (--this.#running === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    };
  }

  async store(line: number, text: string, answer: LineAnswer): Promise<void> {
    const { signal } = this;
    const outcome = { type: "answered", answer } as const;
    while (!signal.aborted) {
      try {
        await this.#write(line, text, outcome);
        if (this.#remaining === 0) this.#options.onDone();
        return;
      } catch (error) {
        this.#options.onFailed(error);
        const { storagePauseMs } = this.#options;
        await setTimeout(storagePauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  /** Stops running lines; their results are discarded. Resolves when none runs any more. */
  async stop(): Promise<void> {
    this.#controller.abort();
    if (this.#running > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  /** Gives all lines without a result the same one. Call after {@link stop}. */
  async storeRemaining(type: "canceled" | "expired"): Promise<void> {
    let group: Promise<void>[] = [];
    for (const line of [...this.listRemaining()]) {
      group.push(this.readLine(line).then((text) => this.#write(line, text, { type })));
      if (group.length < WRITTEN_AT_ONCE) continue;
      await Promise.all(group);
      group = [];
    }
    await Promise.all(group);
  }

  /** Closes all files once results are written. */
  async close(): Promise<void> {
    const { output, errors, input } = this.#options;
    await Promise.all([output.close(), errors.close()]);
    await input.close();
  }

  async #write(line: number, text: string, outcome: LineOutcome): Promise<void> {
    const { format, results, output, errors } = this.#options;
    const { custom_id: customId } = JSON.parse(text) as { readonly custom_id: string };
    const printed = format.print(customId, outcome);
    if (printed !== undefined) {
      await (printed.file === "output" ? output : errors).append(printed.text);
    }
    results.done[line] = 1;
    this.#remaining--;
    const kind = printed?.kind ?? (outcome.type === "expired" ? "expired" : "canceled");
    this.#counts[kind]++;
    this.#countersOf(line).finish(kind);
  }

  #countersOf(line: number): LineCounters {
    const model = this.index.modelOf(line);
    const counters = this.#counters.get(model) ?? this.#options.countersOf(model);
    this.#counters.set(model, counters);
    return counters;
  }
}

/** Results of an earlier run of a batch. */
export interface RecoveredResults {
  /** 1 for each line that has a result. */
  readonly done: Uint8Array;
  readonly doneCount: number;
  readonly counts: Readonly<Record<ResultKind, number>>;
  /** Lengths of the valid content of the files. */
  readonly outputBytes: number;
  readonly errorBytes: number;
}

/**
 * Reads the results that the files of a batch have. A line has at most one result: the first one
 * counts, and a file is cut off before another one.
 */
export async function recoverResults(
  { index, linesById }: IndexedInput,
  format: ResultFormat,
  paths: { readonly output: string; readonly errors: string },
): Promise<RecoveredResults> {
  const done = new Uint8Array(index.size);
  const counts: Record<ResultKind, number> = { ...NO_RESULTS };
  let doneCount = 0;
  const accept = (value: unknown) => {
    const result = format.parse(value);
    const line = result && linesById.get(result.customId);
    if (result === undefined || line === undefined || done[line] === 1) return false;
    done[line] = 1;
    doneCount++;
    counts[result.kind]++;
    return true;
  };
  const outputBytes = await readResults(paths.output, accept);
  const errorBytes = await readResults(paths.errors, accept);
  return { done, doneCount, counts, outputBytes, errorBytes };
}
