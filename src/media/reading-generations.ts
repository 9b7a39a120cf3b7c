import type { Caller } from "../core/caller.js";
import { createCancelledGeneration } from "../core/cancelled-generation.js";
import { createShutdownError, GgufdError } from "../core/errors.js";
import type { GenerationRequest } from "../core/generation-request.js";
import type { MediaKind } from "../core/media.js";
import type { Generation, GenerationService } from "../core/model-directory.js";
import { mediaOfPrompt } from "../core/prompt-media.js";
import { sumBy } from "../core/sum-by.js";
import type { MediaReader } from "./media-reader.js";

export interface ReadingOptions {
  readonly reader: MediaReader;
  /** Returns the kinds of media that the model currently accepts in addition to text. */
  readonly getAcceptedKinds: () => readonly MediaKind[];
}

/** Generation service of a model that reads the media of requests before it submits them. */
export class ReadingGenerations implements GenerationService {
  readonly #generations: GenerationService;
  readonly #options: ReadingOptions;
  readonly #shutdownController = new AbortController();
  /** Requests whose media are being read and that are not admitted yet. */
  readonly #admissions = new Set<Promise<unknown>>();

  constructor(generations: GenerationService, options: ReadingOptions) {
    this.#generations = generations;
    this.#options = options;
  }

  submit(requests: readonly GenerationRequest[], caller: Caller): Promise<Generation> {
    return requests.some(hasMedia)
      ? this.#trackAdmission(this.#readAndSubmit(requests, caller))
      : this.#generations.submit(requests, caller);
  }

  async countTokens(request: GenerationRequest, caller: Caller): Promise<number> {
    if (!hasMedia(request)) return this.#generations.countTokens(request, caller);
    const [readRequest = request] = await this.#read([request], caller);
    return this.#generations.countTokens(readRequest, caller);
  }

  /** Number of requests whose media are being read and that are not admitted yet. */
  get inFlight(): number {
    return this.#admissions.size;
  }

  /** Resolves when no request is being read. */
  async whenIdle(): Promise<void> {
    while (this.#admissions.size > 0) await Promise.allSettled(this.#admissions);
  }

  /** Aborts the requests being read with `shutting_down`; later requests fail with it too. */
  endAll(): void {
    this.#shutdownController.abort(createShutdownError());
  }

  async #readAndSubmit(
    requests: readonly GenerationRequest[],
    caller: Caller,
  ): Promise<Generation> {
    const readRequests = await unlessDisconnected(this.#read(requests, caller), caller);
    return readRequests === undefined
      ? createCancelledGeneration(sumBy(requests, ({ choices = 1 }) => choices))
      : this.#generations.submit(readRequests, caller);
  }

  #read(requests: readonly GenerationRequest[], caller: Caller) {
    const { reader, getAcceptedKinds } = this.#options;
    return reader.read(requests, getAcceptedKinds(), {
      caller,
      end: this.#shutdownController.signal,
    });
  }

  async #trackAdmission<Value>(admission: Promise<Value>): Promise<Value> {
    this.#admissions.add(admission);
    try {
      return await admission;
    } finally {
      this.#admissions.delete(admission);
    }
  }
}

function hasMedia({ prompt }: GenerationRequest): boolean {
  return mediaOfPrompt(prompt).length > 0;
}

/**
 * Waits for the attempt.
 * @returns `undefined` if the client has disconnected, rather than being sent an error
 */
async function unlessDisconnected<Value>(
  attempt: Promise<Value>,
  { signal }: Caller,
): Promise<Value | undefined> {
  try {
    return await attempt;
  } catch (error) {
    const isAborted = signal.aborted && error === signal.reason;
    if (isAborted && !(error instanceof GgufdError)) return undefined;
    throw error;
  }
}
