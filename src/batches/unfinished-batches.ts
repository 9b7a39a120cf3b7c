import type { FileHandle } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import {
  type BatchActivity,
  NO_BATCHES,
  UNKNOWN_MODEL,
  type UnfinishedStatus,
} from "../core/batch-activity.js";
import { formatReason } from "../core/format-reason.js";
import type { FileSystem } from "../files/file-system.js";
import {
  type Batch,
  type BatchDialect,
  type EndStatus,
  enterStatus,
  hasEnded,
  type LineCounts,
} from "./batch.js";
import { BatchRun, recoverResults } from "./batch-run.js";
import { type AnswerLine, BatchRunner } from "./batch-runner.js";
import { createFileId, type FileStore } from "./file-store.js";
import { type IndexedInput, indexInput } from "./index-input.js";
import { LineMeter } from "./line-meter.js";
import type { RecordFolder } from "./record-folder.js";
import { ResultFile } from "./result-file.js";
import type { ResultFormat } from "./result-format.js";
import type { FilePurpose } from "./stored-file.js";

/** Lines of running batches; further batches are validated once there are fewer. */
const MAX_INDEXED_LINES = 1_000_000;

/** Longest name of a model that is stored with a batch. */
const MAX_MODEL_CHARS = 256;

/** Returns the alias of the model with a name; `undefined`: the server does not have it. */
export type FindAlias = (name: string) => string | undefined;

const STORAGE_PAUSE_MS = 10_000;

export interface UnfinishedOptions {
  readonly records: RecordFolder<Batch>;
  readonly files: FileStore;
  readonly fileSystem: FileSystem;
  readonly formats: Readonly<Record<BatchDialect, ResultFormat>>;
  /** Largest line of an input file. */
  readonly maxLineBytes: number;
  readonly maxAgeMs: number;
  /** Maximum number of running lines per model. */
  readonly linesAtOnce: number;
  readonly weightOf: (owner: string) => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Time until a write that failed is repeated, in milliseconds. @default 10 seconds */
  readonly storagePauseMs?: number;
  /** Called with problems that only the operator can solve. */
  readonly onProblem: (message: string, details: object) => void;
}

/** Batches from their validation to their results. */
export class UnfinishedBatches {
  readonly #options: UnfinishedOptions;
  readonly #runs = new Map<string, BatchRun>();
  /** Ends of runs in progress. */
  readonly #ends = new Map<string, Promise<void>>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #closing = new AbortController();
  /** Ids of batches to be validated, oldest first. */
  readonly #waiting: string[] = [];
  readonly #meter = new LineMeter();
  #findAlias: FindAlias = () => undefined;
  #runner: BatchRunner | undefined;
  #validation: Promise<void> | undefined;

  constructor(options: UnfinishedOptions) {
    this.#options = options;
    const unfinished = options.records.all().filter((batch) => !hasEnded(batch));
    this.#waiting.push(...unfinished.map(({ id }) => id));
  }

  /** Continues the batches, and runs new ones from now on. */
  start(answer: AnswerLine, findAlias: FindAlias): void {
    this.#findAlias = findAlias;
    const { linesAtOnce, weightOf } = this.#options;
    this.#runner = new BatchRunner({ answer, linesAtOnce, weightOf });
    this.#validateNext();
  }

  /** Adds a batch that has just been created. */
  add(id: string): void {
    this.#waiting.push(id);
    this.#validateNext();
  }

  /** Ends a batch whose status is `cancelling`, if it runs; otherwise its validation ends it. */
  cancel(id: string): void {
    const run = this.#runs.get(id);
    if (run !== undefined) this.#end(id, run, "cancelled");
  }

  /** Results so far; `undefined`: the batch does not run. */
  countsOf(id: string): LineCounts | undefined {
    return this.#runs.get(id)?.counts;
  }

  get activity(): BatchActivity {
    const batches: Record<UnfinishedStatus, number> = { ...NO_BATCHES.batches };
    for (const { status } of this.#options.records.all()) {
      if (status in batches) batches[status as UnfinishedStatus]++;
    }
    return { batches, lines: this.#meter.read() };
  }

  /** Stops running lines. */
  async stop(): Promise<void> {
    this.#closing.abort();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all([...this.#runs.values()].map((run) => run.stop()));
  }

  /** Settles all writes. Call after {@link stop}. */
  async close(): Promise<void> {
    await this.#validation;
    await Promise.allSettled(this.#ends.values());
    await Promise.all([...this.#runs.values()].map((run) => run.close()));
    this.#runs.clear();
  }

  get #storagePauseMs(): number {
    return this.#options.storagePauseMs ?? STORAGE_PAUSE_MS;
  }

  /** Validates waiting batches one after another. */
  #validateNext(): void {
    if (this.#validation !== undefined || this.#runner === undefined) return;
    let lines = 0;
    for (const { index } of this.#runs.values()) lines += index.size;
    if (lines >= MAX_INDEXED_LINES || this.#closing.signal.aborted) return;
    const id = this.#waiting.shift();
    if (id === undefined) return;
    this.#validation = this.#persistently(() => this.#begin(id)).finally(() => {
      this.#validation = undefined;
      this.#validateNext();
    });
  }

  /** Validates a batch, or continues one after a restart, and runs its lines. */
  async #begin(id: string): Promise<void> {
    const { maxLineBytes, now, records, files } = this.#options;
    const found = records.find(id);
    if (found === undefined || hasEnded(found)) return;
    let input: FileHandle;
    try {
      input = await files.openContent(found.inputFileId);
    } catch (error) {
      const message = `input_file_id: the file cannot be read: ${formatReason(error)}.`;
      await this.#fail(id, [{ code: "invalid_file", message, param: "input_file_id", line: null }]);
      return;
    }
    try {
      const indexed = await indexInput(input, { endpoint: found.endpoint, maxLineBytes });
      if ("errors" in indexed) {
        await input.close();
        await this.#fail(id, indexed.errors);
        return;
      }
      await records.update(id, (batch) => {
        const ids = { outputFileId: createFileId(), errorFileId: createFileId() };
        const counts = { ...batch.counts, total: indexed.index.size };
        const [model = "", ...others] = indexed.index.models;
        const isNamed = model !== "" && model.length <= MAX_MODEL_CHARS && others.length === 0;
        const validated: Batch = { ...ids, ...batch, ...(isNamed && { model }), counts };
        const isNew = batch.status === "validating";
        return isNew ? enterStatus(validated, "in_progress", now()) : validated;
      });
      await this.#run(id, input, indexed);
    } catch (error) {
      await input.close();
      throw error;
    }
  }

  async #fail(id: string, errors: Batch["errors"]): Promise<void> {
    const { records, now } = this.#options;
    const failed = await records.update(id, (batch) => {
      const end = batch.status === "cancelling" ? "cancelled" : "failed";
      return enterStatus({ ...batch, errors }, end, now());
    });
    await this.#removeInput(failed);
  }

  async #run(id: string, input: FileHandle, indexed: IndexedInput): Promise<void> {
    const { formats, files, fileSystem, onProblem, now } = this.#options;
    const batch = this.#must(id);
    const output = files.contentPath(batch.outputFileId ?? "");
    const errors = files.contentPath(batch.errorFileId ?? "");
    const format = formats[batch.dialect];
    const results = await recoverResults(indexed, format, { output, errors });
    const run: BatchRun = new BatchRun({
      batch,
      input,
      index: indexed.index,
      results,
      output: new ResultFile(output, results.outputBytes, fileSystem),
      errors: new ResultFile(errors, results.errorBytes, fileSystem),
      format,
      storagePauseMs: this.#storagePauseMs,
      countersOf: (model) => this.#meter.countersOf(this.#findAlias(model) ?? UNKNOWN_MODEL),
      onDone: () => this.#end(id, run, "completed"),
      onFailed: (error) =>
        onProblem("results of a batch cannot be written; it continues when they can", {
          batch: id,
          reason: formatReason(error),
        }),
    });
    this.#runs.set(id, run);
    if (this.#closing.signal.aborted) return;
    const { status, expiresAt } = this.#must(id);
    if (status === "cancelling") this.#end(id, run, "cancelled");
    else if (run.remaining === 0) this.#end(id, run, "completed");
    else if (expiresAt <= now()) this.#end(id, run, "expired");
    else {
      this.#expireLater(id, run);
      await this.#runner?.add(run, run.listRemaining());
    }
  }

  #expireLater(id: string, run: BatchRun): void {
    const delay = Math.max(0, this.#must(id).expiresAt - this.#options.now());
    this.#timers.set(id, setTimeout(() => this.#end(id, run, "expired"), delay).unref());
  }

  /** Ends a batch once; later calls do nothing. */
  #end(id: string, run: BatchRun, status: EndStatus): void {
    if (this.#ends.has(id) || this.#closing.signal.aborted) return;
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    const ended = this.#persistently(() => this.#finish(id, run, status)).finally(() => {
      this.#ends.delete(id);
      this.#validateNext();
    });
    this.#ends.set(id, ended);
  }

  /** Every step may be repeated, also after a restart. */
  async #finish(id: string, run: BatchRun, status: EndStatus): Promise<void> {
    const { now, maxAgeMs, records, files } = this.#options;
    await run.stop();
    if (status === "expired") await run.storeRemaining("expired");
    else if (status === "cancelled") await run.storeRemaining("canceled");
    else await records.update(id, (current) => enterStatus(current, "finalizing", now()));
    const { outputFileId, errorFileId, ...batch } = this.#must(id);
    const seconds = batch.resultSeconds ?? Math.floor(maxAgeMs / 1000);
    const register = async (fileId: string | undefined, name: string) => {
      if (fileId === undefined) return undefined;
      const bytes = await files.measure(fileId);
      if (bytes === 0) return undefined;
      const purpose: FilePurpose = batch.dialect === "openai" ? "batch_output" : "message_batch";
      const filename = `${id}_${name}.jsonl`;
      await files.register(fileId, { owner: run.owner, filename, purpose, seconds }, bytes);
      return fileId;
    };
    const output = await register(outputFileId, "output");
    const errors = await register(errorFileId, "error");
    const ended: Batch = {
      ...batch,
      counts: run.counts,
      ...(output !== undefined && { outputFileId: output }),
      ...(errors !== undefined && { errorFileId: errors }),
    };
    await records.put(enterStatus(ended, status, now()));
    this.#runs.delete(id);
    await run.close();
    await this.#removeInput(ended);
  }

  /** Removes the requests of Anthropic's batches, which clients cannot read. */
  async #removeInput({ dialect, inputFileId }: Batch): Promise<void> {
    if (dialect === "anthropic") await this.#options.files.remove(inputFileId);
  }

  /** Repeats a step until it succeeds or the service is closed. Never rejects. */
  async #persistently(step: () => Promise<void>): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await step();
        return;
      } catch (error) {
        this.#options.onProblem("a batch cannot be stored; it continues when it can", {
          reason: formatReason(error),
        });
        await wait(this.#storagePauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  #must(id: string): Batch {
    const batch = this.#options.records.find(id);
    if (batch === undefined) throw new Error(`batch ${id} has no record`);
    return batch;
  }
}
