import { GgufdError } from "../core/errors.js";
import { formatReason } from "../core/format-reason.js";
import {
  addUsage,
  type RecentUsage,
  type UsageActivity,
  type UsageEntry,
  type UsageGroup,
  type UsageQuery,
  type UsageReader,
  type UsageSink,
  type UsageTotals,
  usageDimensions,
} from "../core/usage.js";
import { startOfBucket } from "../core/usage-buckets.js";
import { STORAGE_RETRY_AFTER_SECONDS } from "../files/storage-error.js";
import { type HourOfUsage, mergeGroups, selectUsage } from "./group-usage.js";
import type { RecentTotals } from "./recent-totals.js";

/** Durable storage of usage. Calls do not overlap. */
export interface UsageStorage {
  /** Adds the hours to the stored ones, all or none of them. */
  add(hours: readonly HourOfUsage[]): Promise<void>;
  /** Reads groups of the query's buckets, or of shorter ones. */
  read(query: UsageQuery): Promise<readonly UsageGroup[]>;
  removeBefore(epochMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface UsageStoreOptions {
  readonly storage: UsageStorage;
  /** Stored usage of the current month. */
  readonly recent: RecentTotals;
  /** Time for which usage is kept, in milliseconds. */
  readonly retentionMs: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Called when a write has failed, unless the previous one has, too. */
  readonly onFailed: (error: unknown, unwrittenRequests: number) => void;
}

/** Shortest time between two writes. A killed process loses at most the usage of this time. */
const WRITE_EVERY_MS = 1000;
const RETRY_AFTER_MS = 5000;

/**
 * Collects the usage of ended answers in memory and writes it in groups, so that no answer waits
 * for the disk. Hours whose write fails stay in memory and are written with the next group.
 */
export class UsageStore implements UsageSink, UsageReader, RecentUsage {
  readonly #options: UsageStoreOptions;
  /** Hours that are not written, by their subject and hour. */
  #unwritten = new Map<string, HourOfUsage>();
  /** Hours that are being written. */
  #inWrite: readonly HourOfUsage[] = [];
  #failedWrites = 0;
  #state: "writing" | "failing" | "closed" = "writing";
  #timer: NodeJS.Timeout | undefined;
  /** Start of the day on which old usage was removed last. */
  #removedOnMs = 0;
  /** Resolves when no call of the storage is running. */
  #lane: Promise<unknown> = Promise.resolve();

  constructor(options: UsageStoreOptions) {
    this.#options = options;
  }

  get activity(): UsageActivity {
    const hours = [...this.#inWrite, ...this.#unwritten.values()];
    const unwrittenRequests = hours.reduce((sum, { requests }) => sum + requests, 0);
    return { unwrittenRequests, failedWrites: this.#failedWrites };
  }

  add(entry: UsageEntry): void {
    const nowMs = this.#options.now();
    this.#options.recent.add(entry.key, nowMs, entry);
    this.#collect({ ...entry, hourMs: startOfBucket(nowMs, "1h") });
    this.#schedule(WRITE_EVERY_MS);
  }

  sumSince(subject: string | undefined, sinceEpochMs: number): UsageTotals {
    return this.#options.recent.sumSince(subject, sinceEpochMs);
  }

  async read(query: UsageQuery): Promise<readonly UsageGroup[]> {
    try {
      return await this.#inLane(async () => {
        const stored = await this.#options.storage.read(query);
        // No write is running here, so each hour is either stored or in memory.
        const unwritten = selectUsage(this.#unwritten.values(), query);
        return mergeGroups([...stored, ...unwritten], query.width);
      });
    } catch (cause) {
      throw new GgufdError(
        "storage_unavailable",
        `The usage cannot be read: ${formatReason(cause)}.`,
        { cause, retryAfterSeconds: STORAGE_RETRY_AFTER_SECONDS },
      );
    }
  }

  /** Writes the usage in memory, and closes the storage. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#write();
    this.#state = "closed";
    clearTimeout(this.#timer);
    await this.#inLane(() => this.#options.storage.close());
  }

  #collect(hour: HourOfUsage): void {
    const id = JSON.stringify([hour.hourMs, ...usageDimensions.map((one) => hour[one])]);
    const known = this.#unwritten.get(id);
    this.#unwritten.set(id, known === undefined ? hour : { ...hour, ...addUsage(known, hour) });
  }

  #schedule(afterMs: number): void {
    if (this.#timer !== undefined || this.#state === "closed") return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#write();
    }, afterMs);
    // Closing the store writes the rest.
    this.#timer.unref();
  }

  /** Never rejects. */
  #write(): Promise<void> {
    return this.#inLane(async () => {
      this.#inWrite = [...this.#unwritten.values()];
      if (this.#inWrite.length === 0) return;
      this.#unwritten = new Map();
      try {
        await this.#options.storage.add(this.#inWrite);
        this.#inWrite = [];
        await this.#removeOld();
        this.#state = "writing";
      } catch (error) {
        for (const hour of this.#inWrite) this.#collect(hour);
        this.#inWrite = [];
        this.#fail(error);
      }
    });
  }

  async #removeOld(): Promise<void> {
    const { storage, retentionMs, now } = this.#options;
    const todayMs = startOfBucket(now(), "1d");
    if (todayMs === this.#removedOnMs) return;
    await storage.removeBefore(now() - retentionMs);
    this.#removedOnMs = todayMs;
  }

  #fail(error: unknown): void {
    this.#failedWrites++;
    const isNew = this.#state === "writing";
    this.#state = "failing";
    if (isNew) this.#options.onFailed(error, this.activity.unwrittenRequests);
    this.#schedule(RETRY_AFTER_MS);
  }

  /** Calls the storage when earlier calls have ended. */
  #inLane<Result>(call: () => Promise<Result>): Promise<Result> {
    const result = this.#lane.then(call);
    this.#lane = result.catch(() => undefined);
    return result;
  }
}
