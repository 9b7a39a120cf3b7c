import { setTimeout as delay } from "node:timers/promises";
import { InputError } from "../../models/command-line/input-error.js";
import type { ChatRequest } from "../client/chat-request.js";
import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import { succeeded } from "./reductions.js";
import type { Load } from "./scenario.js";

/** Number of times each request is sent together with the others. */
const ROUNDS_TOGETHER = 3;

/** Request and the answer of an undisturbed server. */
interface KnownAnswer {
  readonly request: ChatRequest;
  readonly text: string;
}

/** Requests whose answers are known, and the number of requests that were excluded. */
interface KnownAnswers {
  readonly known: readonly KnownAnswer[];
  /** Number of requests whose answers differed between undisturbed runs. */
  readonly unstable: number;
}

/**
 * Sends each request alone, and then several times together with the others. Floating-point sums
 * depend on the batch, so that a token differs occasionally. A request with differing undisturbed
 * answers is excluded, because such a difference could not be distinguished from a fault.
 * @throws {InputError} if a request fails, or no answer is known
 */
export async function knownAnswers(
  { complete, clients }: Pick<Load, "complete" | "clients">,
  requests: readonly ChatRequest[],
): Promise<KnownAnswers> {
  const ask = async (number: number): Promise<RequestRecord> => {
    const request = requests[number % requests.length];
    if (request === undefined) throw new RangeError("knownAnswers needs requests");
    const record = await complete(request);
    if (record.error === undefined) return record;
    throw new InputError(`an undisturbed request failed: ${record.error}`);
  };
  const alone = await inParallel(requests.length, 1, ask);
  const together = await inParallel(ROUNDS_TOGETHER * requests.length, clients, ask);
  return compareAnswers(requests, [...alone, ...together]);
}

/**
 * Selects the requests whose answers are all the same.
 * @param records of consecutive rounds
 */
export function compareAnswers(
  requests: readonly ChatRequest[],
  records: readonly RequestRecord[],
): KnownAnswers {
  const texts = succeeded(records).map(({ text }) => text);
  const known = requests.flatMap((request, number) => {
    const answers = new Set(texts.filter((_, index) => index % requests.length === number));
    const [text] = answers;
    return answers.size === 1 && text !== undefined && text !== "" ? [{ request, text }] : [];
  });
  if (known.length > 0) return { known, unstable: requests.length - known.length };
  throw new InputError("expected equal undisturbed answers to at least one request, got none");
}

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
