import { once } from "node:events";
import { Worker } from "node:worker_threads";
import PQueue from "p-queue";
import { GgufdError } from "../core/errors.js";
import { reasonOf } from "../core/reason-of.js";

export interface WorkerPoolOptions {
  /** Answers each message with one, in order. */
  readonly program: URL;
  /** At most. Each is started when it is needed first, and again when it has ended. */
  readonly threads: number;
}

/** Worker threads that do one job at a time each; jobs wait in order of arrival. */
export class WorkerPool<Job, Result> {
  readonly #options: WorkerPoolOptions;
  readonly #jobs: PQueue;
  readonly #workers = new Set<Worker>();
  /** Those without work. */
  readonly #idle = new Set<Worker>();

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#jobs = new PQueue({ concurrency: options.threads });
  }

  /**
   * @param transferred memory of the job that moves to the thread
   * @throws {GgufdError} `internal_error`: the thread has ended, out of memory for example
   */
  run(job: Job, transferred: readonly ArrayBuffer[] = []): Promise<Result> {
    return this.#jobs.add(async () => {
      const [worker = this.#start()] = this.#idle;
      this.#idle.delete(worker);
      worker.ref();
      try {
        worker.postMessage(job, transferred);
        const result = (await replyOf(worker)) as Result;
        worker.unref();
        this.#idle.add(worker);
        return result;
      } catch (cause) {
        void worker.terminate();
        throw new GgufdError(
          "internal_error",
          `The thread that reads large bodies and files has ended: ${reasonOf(cause)}.`,
          { cause },
        );
      }
    });
  }

  /** Ends the threads; what they do fails. */
  async close(): Promise<void> {
    this.#jobs.clear();
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  #start(): Worker {
    const worker = new Worker(this.#options.program);
    this.#workers.add(worker);
    worker.once("exit", () => {
      this.#workers.delete(worker);
      this.#idle.delete(worker);
    });
    // A job in progress is told of it as well.
    worker.on("error", () => undefined);
    return worker;
  }
}

/** @throws what ends the thread before it replies, or makes its reply unreadable */
async function replyOf(worker: Worker): Promise<unknown> {
  const settled = new AbortController();
  const { signal } = settled;
  const ended = once(worker, "exit", { signal }).then(([code]) => {
    throw new Error(`exit code ${code}`);
  });
  const unreadable = once(worker, "messageerror", { signal }).then(([error]) => {
    throw error;
  });
  try {
    // `once` rejects with the thread's own error.
    const [reply] = await Promise.race([once(worker, "message", { signal }), ended, unreadable]);
    return reply;
  } finally {
    settled.abort();
  }
}
