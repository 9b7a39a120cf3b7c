import PQueue from "p-queue";
import type { Caller } from "../core/caller.js";
import { GgufdError } from "../core/errors.js";
import type {
  PooledContent,
  PoolingAnswer,
  PoolingEngine,
  PoolingRequest,
  PoolingService,
} from "../core/pooling.js";
import { admit, type QueueLoad } from "./admission.js";

/** Batches of inputs that are in the engine or on their way to it, so that it never waits. */
const BATCHES_AHEAD = 2;

/**
 * Queues requests for a pooling engine, first in, first out. The engine computes several of them together,
 * input by input in turn.
 */
export class PoolingScheduler implements PoolingService {
  readonly #engine: PoolingEngine;
  readonly #limits: QueueLoad;
  readonly #queue: PQueue;
  /** Estimated tokens of the requests that wait. */
  readonly #waiting = new Map<PoolingRequest, number>();
  readonly #shutdown = new AbortController();

  constructor(engine: PoolingEngine, limits: QueueLoad) {
    this.#engine = engine;
    this.#limits = limits;
    this.#queue = new PQueue({ concurrency: BATCHES_AHEAD * engine.description.sequences });
  }

  async pool(request: PoolingRequest, { signal }: Caller): Promise<PoolingAnswer> {
    const either = AbortSignal.any([signal, this.#shutdown.signal]);
    either.throwIfAborted();
    const promptTokens = estimatedTokens(request);
    admit({
      promptTokens: [promptTokens],
      running: this.#queue.pending,
      slots: this.#queue.concurrency,
      waiting: this.#waitingLoad(),
      limits: this.#limits,
    });
    this.#waiting.set(request, promptTokens);
    try {
      return await this.#queue.add(
        () => {
          this.#waiting.delete(request);
          return this.#run(request, either);
        },
        { signal: either },
      );
    } finally {
      this.#waiting.delete(request);
    }
  }

  /** Resolves when no request is waiting or running. */
  idle(): Promise<void> {
    return this.#queue.onIdle();
  }

  /** Aborts all waiting and running requests; they fail with `shutting_down`. */
  endAll(): void {
    this.#shutdown.abort(
      new GgufdError("shutting_down", "The server is shutting down.", { retryAfterSeconds: 5 }),
    );
  }

  async #run(request: PoolingRequest, signal: AbortSignal): Promise<PoolingAnswer> {
    const cancel = () => this.#engine.cancel(request.id);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const answer = await this.#engine.pool(request);
      if (answer !== "cancelled") return answer;
      throw signal.reason;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  #waitingLoad(): QueueLoad {
    let promptTokens = 0;
    for (const tokens of this.#waiting.values()) promptTokens += tokens;
    return { requests: this.#waiting.size, promptTokens };
  }
}

/** Of English text; others have fewer characters a token. */
const CHARACTERS_PER_TOKEN = 4;

/** Texts are tokenised by the engine. */
function estimatedTokens({ inputs }: PoolingRequest): number {
  return inputs.reduce((sum, { content }) => sum + estimateOf(content), 0);
}

function estimateOf(content: PooledContent): number {
  switch (content.type) {
    case "text":
      return Math.ceil(content.text.length / CHARACTERS_PER_TOKEN);
    case "tokens":
      return content.tokens.length;
    case "pair":
      return Math.ceil((content.query.length + content.document.length) / CHARACTERS_PER_TOKEN);
  }
}
