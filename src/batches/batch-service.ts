import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { BatchActivity } from "../core/batch-activity.js";
import { createShutdownError, GgufdError } from "../core/errors.js";
import { formatReason } from "../core/format-reason.js";
import { type Page, type PageQuery, toPage } from "../core/pages.js";
import {
  type Batch,
  type BatchDialect,
  enterStatus,
  hasEnded,
  lastEntryOf,
  NO_LINES,
} from "./batch.js";
import type { AnswerLine } from "./batch-runner.js";
import { type FileStore, MAX_ID_CHARS } from "./file-store.js";
import { RecordFolder } from "./record-folder.js";
import { type FindAlias, UnfinishedBatches, type UnfinishedOptions } from "./unfinished-batches.js";

/** Maximum number of unfinished batches of an owner. */
const MAX_UNFINISHED = 100;

const UNFINISHED_RETRY_SECONDS = 60;

const SWEEP_INTERVAL_MS = 60 * 60 * 1000;

export interface BatchServiceOptions extends Omit<UnfinishedOptions, "records"> {
  /** Folder of all files. */
  readonly folder: string;
}

export interface NewBatch {
  readonly dialect: BatchDialect;
  readonly endpoint: string;
  readonly inputFileId: string;
  readonly completionWindow: string;
  readonly windowMs: number;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly resultSeconds?: number | undefined;
  /** Number of lines, if it is known. */
  readonly total?: number;
}

/** The batches of all owners, from their creation to the removal of their results. */
export class BatchService {
  readonly #options: BatchServiceOptions;
  readonly #records: RecordFolder<Batch>;
  readonly #unfinished: UnfinishedBatches;
  #state: "open" | "closed" = "open";
  #sweepTimer: NodeJS.Timeout | undefined;

  private constructor(options: BatchServiceOptions, records: RecordFolder<Batch>) {
    this.#options = options;
    this.#records = records;
    this.#unfinished = new UnfinishedBatches({ ...options, records });
  }

  static async open(options: BatchServiceOptions): Promise<BatchService> {
    const { folder, fileSystem, files, onProblem } = options;
    const records = await RecordFolder.open<Batch>(join(folder, "batches"), fileSystem, (path) =>
      onProblem("a damaged record of a batch is ignored", { path }),
    );
    const unfinished = records.all().filter((batch) => !hasEnded(batch));
    const kept = unfinished.flatMap(({ outputFileId, errorFileId }) => [outputFileId, errorFileId]);
    await files.removeOrphans(new Set(kept.filter((id) => id !== undefined)));
    return new BatchService(options, records);
  }

  get files(): FileStore {
    return this.#options.files;
  }

  /** Unfinished batches, and the lines of all batches since the start. */
  get activity(): BatchActivity {
    return this.#unfinished.activity;
  }

  /**
   * Continues unfinished batches, and runs new ones from now on.
   * @param findAlias default: no model is known, so that lines are not counted by model
   */
  start(answer: AnswerLine, findAlias: FindAlias = () => undefined): void {
    this.#unfinished.start(answer, findAlias);
    void this.#sweep();
    this.#sweepTimer = setInterval(() => void this.#sweep(), SWEEP_INTERVAL_MS).unref();
  }

  /**
   * Creates a batch of an existing file.
   * @throws {GgufdError} `not_found`, `rate_limit_exceeded`, `storage_full`, `storage_unavailable`,
   *   `shutting_down`
   */
  async create(owner: string, newBatch: NewBatch): Promise<Batch> {
    if (this.#state === "closed") throw createShutdownError();
    const { resultSeconds, metadata, windowMs, total = 0, ...given } = newBatch;
    this.files.get(owner, newBatch.inputFileId);
    const isUnfinished = (batch: Batch) => batch.owner === owner && !hasEnded(batch);
    if (this.#records.all().filter(isUnfinished).length >= MAX_UNFINISHED) {
      throw new GgufdError(
        "rate_limit_exceeded",
        `Expected at most ${MAX_UNFINISHED} unfinished batches, got one more.`,
        { retryAfterSeconds: UNFINISHED_RETRY_SECONDS },
      );
    }
    const createdAt = this.#options.now();
    const batch: Batch = {
      id: createBatchId(newBatch.dialect),
      owner,
      ...given,
      ...(metadata !== undefined && { metadata }),
      ...(resultSeconds !== undefined && { resultSeconds }),
      status: "validating",
      createdAt,
      expiresAt: createdAt + windowMs,
      enteredAt: {},
      counts: { ...NO_LINES, total },
      errors: [],
    };
    await this.#records.put(batch);
    this.#unfinished.add(batch.id);
    return batch;
  }

  /** Returns the time at which the results of an ended batch are removed. */
  removalOf(batch: Batch): number {
    return lastEntryOf(batch) + this.#options.maxAgeMs;
  }

  /** @throws {GgufdError} `not_found` */
  get(owner: string, dialect: BatchDialect, id: string): Batch {
    const batch = this.#records.find(id);
    if (batch?.owner === owner && batch.dialect === dialect) return this.#withCounts(batch);
    throw new GgufdError(
      "not_found",
      `Batch with id '${id.slice(0, MAX_ID_CHARS)}' not found: it was never created, or has been removed.`,
    );
  }

  /** @returns `undefined` if `after` or `before` is no batch of the list */
  page(owner: string, dialect: BatchDialect, query: PageQuery): Page<Batch> | undefined {
    const own = this.#records
      .all()
      .filter((batch) => batch.owner === owner && batch.dialect === dialect);
    const page = toPage(own, query);
    return page && { ...page, entries: page.entries.map((batch) => this.#withCounts(batch)) };
  }

  /**
   * Begins to cancel a batch: running lines are stopped, and results so far are kept.
   * @throws {GgufdError} `not_found`, `invalid_request` for a batch that has ended
   */
  async cancel(owner: string, dialect: BatchDialect, id: string): Promise<Batch> {
    const batch = this.get(owner, dialect, id);
    if (hasEnded(batch)) {
      throw new GgufdError(
        "invalid_request",
        `Batch '${id}' cannot be cancelled: expected one that has not ended, got status ${batch.status}.`,
      );
    }
    await this.#records.update(id, (current) =>
      current.status === "validating" || current.status === "in_progress"
        ? enterStatus(current, "cancelling", this.#options.now())
        : current,
    );
    this.#unfinished.cancel(id);
    return this.get(owner, dialect, id);
  }

  /**
   * Removes a batch with its results.
   * @throws {GgufdError} `not_found`, `file_in_use` for a batch that has not ended
   */
  async remove(owner: string, dialect: BatchDialect, id: string): Promise<void> {
    const batch = this.get(owner, dialect, id);
    if (!hasEnded(batch)) {
      throw new GgufdError(
        "file_in_use",
        `Batch '${id}' cannot be deleted: expected one that has ended, got status ${batch.status}. Cancel it first.`,
      );
    }
    for (const fileId of [batch.outputFileId, batch.errorFileId]) {
      if (fileId !== undefined) await this.files.remove(fileId);
    }
    await this.#records.remove(id);
  }

  /**
   * Removes a file.
   * @throws {GgufdError} `not_found`, `file_in_use` for the input of a batch that has not ended
   */
  async removeFile(owner: string, id: string): Promise<void> {
    this.files.get(owner, id);
    const user = this.#records.all().find((one) => one.inputFileId === id && !hasEnded(one));
    if (user !== undefined) {
      throw new GgufdError(
        "file_in_use",
        `File '${id}' cannot be deleted: it is the input of the batch '${user.id}', which has not ended. Cancel it first.`,
      );
    }
    await this.files.remove(id);
  }

  /** Stops running lines; unfinished batches continue after a restart. */
  async stop(): Promise<void> {
    this.#state = "closed";
    clearInterval(this.#sweepTimer);
    await this.#unfinished.stop();
  }

  /** Stops running lines, and settles all writes. */
  async close(): Promise<void> {
    await this.stop();
    await this.#unfinished.close();
    await Promise.all([this.#records.whenSettled(), this.files.whenSettled()]);
  }

  #withCounts(batch: Batch): Batch {
    const counts = this.#unfinished.countsOf(batch.id);
    return counts === undefined || hasEnded(batch) ? batch : { ...batch, counts };
  }

  /** Removes expired files, and batches that ended long ago. */
  async #sweep(): Promise<void> {
    const { now, onProblem } = this.#options;
    const used = new Set<string>();
    for (const batch of this.#records.all()) if (!hasEnded(batch)) used.add(batch.inputFileId);
    try {
      for (const id of this.files.listExpired()) if (!used.has(id)) await this.files.remove(id);
      for (const batch of this.#records.all()) {
        if (hasEnded(batch) && this.removalOf(batch) <= now()) await this.#records.remove(batch.id);
      }
    } catch (error) {
      onProblem("expired files of batches cannot be removed", { reason: formatReason(error) });
    }
  }
}

function createBatchId(dialect: BatchDialect): string {
  const prefix = dialect === "openai" ? "batch_" : "msgbatch_";
  return prefix + randomUUID().replaceAll("-", "");
}
