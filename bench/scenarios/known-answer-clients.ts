import { setTimeout as delay } from "node:timers/promises";
import type { RequestRecord } from "../client/request-record.js";
import type { KnownAnswer } from "./known-answers.js";
import type { Load } from "./scenario.js";

/** Time after which an unfinished request counts as hung; at least twice the longest backoff. */
const HUNG_AFTER_MS = 90_000;
/** Pause after a refusal, shorter than `Retry-After`, so that load resumes at once. */
const PAUSE_MS = 100;

/** Request and its outcome. */
export interface Asked {
  readonly known: KnownAnswer;
  /** Absent: no answer in time. */
  readonly record: RequestRecord | undefined;
}

/** Clients that send requests continuously until they are stopped; half of them request streams. */
export class KnownAnswerClients {
  readonly #load: Load;
  readonly #known: readonly KnownAnswer[];
  readonly #asked: Asked[] = [];
  /** Current request of each client. */
  readonly #open: Promise<void>[] = [];
  readonly #all: Promise<unknown>;
  #stopped = false;

  constructor(load: Load, known: readonly KnownAnswer[]) {
    this.#load = load;
    this.#known = known;
    this.#all = Promise.all(Array.from({ length: load.clients }, (_, number) => this.#run(number)));
  }

  /** Waits for the requests that are open now, so that no request meets two faults. */
  async openEnded(): Promise<void> {
    await Promise.all([...this.#open]);
  }

  /** Stops the clients and returns all requests with their outcomes. */
  async stop(): Promise<readonly Asked[]> {
    this.#stopped = true;
    await this.#all;
    return this.#asked;
  }

  async #run(number: number): Promise<void> {
    const random = this.#load.prompts.random(`client ${number}`);
    while (!this.#stopped && !this.#load.signal.aborted) {
      const known = random.pick(this.#known);
      const asking = this.#ask(known, number);
      this.#open[number] = asking.then(() => undefined);
      const record = await asking;
      this.#asked.push({ known, record });
      if (record?.error !== undefined) await delay(PAUSE_MS);
    }
  }

  async #ask({ request }: KnownAnswer, number: number): Promise<RequestRecord | undefined> {
    const mode = { kind: number % 2 === 0 ? "streamed" : "non-streamed" } as const;
    const answered = new AbortController();
    const hung = delay(HUNG_AFTER_MS, undefined, { signal: answered.signal }).catch(
      () => undefined,
    );
    // A hung request is abandoned; it fails when the server is stopped.
    const record = await Promise.race([this.#load.complete({ ...request, mode }), hung]);
    answered.abort();
    return record;
  }
}
