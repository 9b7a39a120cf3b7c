import { setTimeout as delay } from "node:timers/promises";
import type { RequestRecord } from "../client/request-record.js";
import type { KnownAnswer } from "./known-answers.js";
import type { Load } from "./scenario.js";

/** A request without an end after this long hangs. Backoffs are half as long at most. */
const HUNG_AFTER_MS = 90_000;
/** After a refusal; shorter than what `Retry-After` asks for, so that there is load at once. */
const PAUSE_MS = 100;

/** A request, and what became of it. */
export interface Asked {
  readonly known: KnownAnswer;
  /** Absent: no answer in time. */
  readonly record: RequestRecord | undefined;
}

/** Clients that ask without a pause, half of them for streams, until they are stopped. */
export class KnownAnswerClients {
  readonly #load: Load;
  readonly #known: readonly KnownAnswer[];
  readonly #asked: Asked[] = [];
  /** One for each client. */
  readonly #open: Promise<void>[] = [];
  readonly #all: Promise<unknown>;
  #stopped = false;

  constructor(load: Load, known: readonly KnownAnswer[]) {
    this.#load = load;
    this.#known = known;
    this.#all = Promise.all(Array.from({ length: load.clients }, (_, number) => this.#run(number)));
  }

  /** Waits for the requests that are open now. None of them is met by two faults then. */
  async openEnded(): Promise<void> {
    await Promise.all([...this.#open]);
  }

  /** All requests, and what became of them. */
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
    // One that hangs is left behind: it fails when the server is stopped.
    const record = await Promise.race([this.#load.complete({ ...request, mode }), hung]);
    answered.abort();
    return record;
  }
}
