import { once } from "node:events";
import { Worker } from "node:worker_threads";
import PQueue from "p-queue";
import { GgufdError } from "../core/errors.js";
import { formatReason } from "../core/format-reason.js";

export interface WorkerPoolOptions {
  /** Script of the workers, which replies to each message with one message, in order. */
  readonly program: URL;
  /**
   * Maximum number of threads. Each starts when it is first needed, and again after it has exited.
   */
  readonly threads: number;
}

/** Pool of worker threads that run one job at a time each; jobs wait in order of arrival. */
export class WorkerPool<Job, Result> {
  readonly #options: WorkerPoolOptions;
  readonly #jobs: PQueue;
  readonly #workers = new Set<Worker>();
  /** Workers without a job. */
  readonly #idleWorkers = new Set<Worker>();

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#jobs = new PQueue({ concurrency: options.threads });
  }

  /**
   * Runs a job in a worker thread.
   * @param transferList buffers of the job that are transferred to the thread
   * @throws {GgufdError} `internal_error` if the thread exits, for example out of memory
   */
  run(job: Job, transferList: readonly ArrayBuffer[] = []): Promise<Result> {
    return this.#jobs.add(async () => {
      const [worker = this.#start()] = this.#idleWorkers;
      this.#idleWorkers.delete(worker);
      worker.ref();
      try {
        worker.postMessage(job, transferList);
        const result = (await awaitReply(worker)) as Result;
        worker.unref();
        this.#idleWorkers.add(worker);
        return result;
      } catch (cause) {
        void worker.terminate();
        throw new GgufdError(
          "internal_error",
          `The thread that reads large bodies and files has ended: ${formatReason(cause)}.`,
          { cause },
        );
      }
    });
  }

  /** Terminates the threads; running jobs fail. */
  async close(): Promise<void> {
    this.#jobs.clear();
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  #start(): Worker {
    const worker = new Worker(this.#options.program);
    this.#workers.add(worker);
    worker.once("exit", () => {
      this.#workers.delete(worker);
      this.#idleWorkers.delete(worker);
    });
    // The job in progress receives the error as well; without a listener it would end the process.
    worker.on("error", () => undefined);
    return worker;
  }
}

/**
 * Waits for the worker's next message.
 * @throws the error that ends the thread before it replies, or that makes its reply unreadable
 */
async function awaitReply(worker: Worker): Promise<unknown> {
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
