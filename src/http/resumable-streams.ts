import { createShutdownError, GgufdError, shortenName } from "../core/errors.js";
import { computeQuota, keylessOwners, type StoreOwners } from "../core/store-quota.js";
import { sumBy } from "../core/sum-by.js";
import { StreamBuffer } from "./stream-buffer.js";

/** Limits of the streams of all owners together, of which each owner has a share. */
export interface StreamLimits {
  /** Number of streams, running or ended. Running streams are never dropped. */
  readonly streams: number;
  /** Memory of all streams. */
  readonly bytes: number;
  /** Memory of one stream. */
  readonly bytesOfStream: number;
  /** Time for which a stream is kept after its end, in milliseconds. */
  readonly keptMs: number;
}

/** The limits of one stream are llama-server's. */
const LIMITS: StreamLimits = {
  streams: 1024,
  bytes: 64 * 2 ** 20,
  bytesOfStream: 4 * 2 ** 20,
  keptMs: 300_000,
};

interface ResumableStreamsOptions {
  /** @default 1024 streams, 64 MiB, 4 MiB for one stream, 5 minutes */
  readonly limits?: StreamLimits;
  /** @default one owner with an empty name */
  readonly owners?: StoreOwners | undefined;
  /** Current time in milliseconds. @default Date.now */
  readonly now?: () => number;
}

interface StreamHooks {
  /** Called when the stream takes more memory. */
  readonly onGrown: () => void;
  readonly onEnded: () => void;
  readonly onDiscarded: () => void;
}

/** Streamed answer that continues without its client, and can be read again. */
export class ResumableStream {
  /** The client's id of the conversation. */
  readonly id: string;
  readonly buffer: StreamBuffer;
  /** Unix time in milliseconds. */
  readonly beganAt: number;
  /** Unix time in milliseconds; `undefined`: the answer has not ended. */
  endedAt: number | undefined;
  readonly #hooks: StreamHooks;
  readonly #controller = new AbortController();

  constructor(
    { id, buffer, beganAt }: Pick<ResumableStream, "id" | "buffer" | "beganAt">,
    hooks: StreamHooks,
  ) {
    this.id = id;
    this.buffer = buffer;
    this.beganAt = beganAt;
    this.#hooks = hooks;
  }

  append(text: string): void {
    const { memoryBytes } = this.buffer;
    this.buffer.append(text);
    if (this.buffer.memoryBytes > memoryBytes) this.#hooks.onGrown();
  }

  /** Ends the stream, which is kept for readers. */
  end(): void {
    this.buffer.close();
    this.#hooks.onEnded();
  }

  /** Removes the stream, whose answer was refused before it began. */
  discard(): void {
    this.buffer.close();
    this.#hooks.onDiscarded();
  }

  /** Aborts when the stream is stopped, with a `GgufdError`. */
  get stopped(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Ends the answer.
   * @param reason sent to a client that has received nothing of the answer
   */
  stop(reason: GgufdError): void {
    this.buffer.close();
    this.#controller.abort(reason);
  }
}

/**
 * Streams of this server by owner and conversation: the newest one of each conversation. An owner
 * is the name of an API key; it is empty on a server without keys.
 */
export class ResumableStreams {
  readonly #limits: StreamLimits;
  readonly #owners: StoreOwners;
  readonly #now: () => number;
  readonly #streams = new Map<string, Map<string, ResumableStream>>();

  constructor({
    limits = LIMITS,
    owners = keylessOwners,
    now = Date.now,
  }: ResumableStreamsOptions = {}) {
    this.#limits = limits;
    this.#owners = owners;
    this.#now = now;
  }

  /** Begins the stream of a conversation, and stops the previous one. */
  open(owner: string, id: string): ResumableStream {
    this.stop(owner, id);
    const streams = this.#of(owner);
    const buffer = new StreamBuffer(this.#limits.bytesOfStream);
    const stream = new ResumableStream(
      { id, buffer, beganAt: this.#now() },
      {
        onGrown: () => this.#dropExcess(streams),
        onEnded: () => {
          stream.endedAt = this.#now();
        },
        onDiscarded: () => {
          if (streams.get(id) === stream) streams.delete(id);
        },
      },
    );
    streams.set(id, stream);
    this.#dropExcess(streams);
    return stream;
  }

  /** @throws {GgufdError} `not_found` */
  find(owner: string, id: string): ResumableStream {
    const stream = this.#of(owner).get(id);
    if (stream !== undefined) return stream;
    throw createStreamNotFoundError(id);
  }

  /** Returns the streams of a conversation, including those of its models, `ID::MODEL`. */
  lookup(owner: string, id: string): readonly ResumableStream[] {
    return [...this.#of(owner).values()].filter(
      (stream) => stream.id === id || stream.id.startsWith(`${id}::`),
    );
  }

  /** Stops and removes the stream of a conversation, if there is one. */
  stop(owner: string, id: string): void {
    const streams = this.#of(owner);
    streams.get(id)?.stop(createCancelledError());
    streams.delete(id);
  }

  /** Stops all streams. */
  stopAll(): void {
    for (const streams of this.#streams.values()) {
      for (const stream of streams.values()) stream.stop(createShutdownError());
    }
  }

  #of(owner: string): Map<string, ResumableStream> {
    this.#dropExpired();
    const streams = this.#streams.get(owner) ?? new Map<string, ResumableStream>();
    this.#streams.set(owner, streams);
    return streams;
  }

  /** Drops expired streams of all owners, some of which may send no further request. */
  #dropExpired(): void {
    const endedBefore = this.#now() - this.#limits.keptMs;
    for (const [owner, streams] of this.#streams) {
      for (const { id, endedAt = Number.POSITIVE_INFINITY } of streams.values()) {
        if (endedAt < endedBefore) streams.delete(id);
      }
      if (streams.size === 0) this.#streams.delete(owner);
    }
  }

  /**
   * Drops the earliest streams of one owner that have ended until the others are within its quota,
   * then the oldest text of the streams that have not.
   */
  #dropExcess(streams: Map<string, ResumableStream>): void {
    const { streams: entries, bytes, keptMs } = this.#limits;
    const quota = computeQuota({ entries, items: 0, bytes, idleMs: keptMs }, this.#owners.count());
    let excess = sumMemory(streams) - quota.bytes;
    for (const { id, endedAt, buffer } of streams.values()) {
      if (excess <= 0 && streams.size <= quota.entries) return;
      if (endedAt === undefined) continue;
      streams.delete(id);
      excess -= buffer.memoryBytes;
    }
    while (sumMemory(streams) > quota.bytes && findLargest(streams)?.buffer.dropOldest());
  }
}

function sumMemory(streams: ReadonlyMap<string, ResumableStream>): number {
  return sumBy([...streams.values()], ({ buffer }) => buffer.memoryBytes);
}

function findLargest(streams: ReadonlyMap<string, ResumableStream>): ResumableStream | undefined {
  const [largest] = [...streams.values()].toSorted(
    (one, other) => other.buffer.memoryBytes - one.buffer.memoryBytes,
  );
  return largest;
}

/** Creates the error of a conversation whose answer is not stored. */
export function createStreamNotFoundError(id: string): GgufdError {
  return new GgufdError(
    "not_found",
    `Stream of the conversation '${shortenName(id)}' not found: no request with this X-Conversation-Id was streamed, or its answer is stored no more.`,
  );
}

/** Builds the error of an answer that its client has stopped, or replaced by another one. */
function createCancelledError(): GgufdError {
  return new GgufdError(
    "invalid_request",
    "The answer was cancelled before it began, by DELETE /v1/stream or by another request with its X-Conversation-Id.",
  );
}
