import { type GgufdError, toClientError } from "../../../core/errors.js";
import type { ChoiceEvent } from "../../../core/generation-event.js";
import type { EventLog } from "./event-log.js";
import type { ResponseEvent } from "./event-schema.js";
import type { ResponsePrinter } from "./response-printer.js";
import type { ResponseObject } from "./response-schema.js";
import type { StoredResponse } from "./response-store.js";

/** A response that has not ended, and its items. */
export interface ResponseBegun extends Pick<StoredResponse, "earlier" | "input"> {
  readonly printer: ResponsePrinter;
}

/** A response that is generated whether or not a client waits for it. */
export interface BackgroundRun extends ResponseBegun {
  readonly events: AsyncIterable<ChoiceEvent>;
  /** Ends the generation. */
  readonly controller: AbortController;
  /** Called with the error that ends the generation, of which no client may hear. */
  readonly onFailed: (error: GgufdError) => void;
  /** Called when the generation is over, however it has ended. */
  readonly onOver: () => void;
  /** `undefined`: nobody may read its stream. */
  readonly log: EventLog | undefined;
}

interface FollowedRun extends BackgroundRun {
  /** Resolves when the response has ended. */
  readonly ended: Promise<void>;
}

/** The responses that are being generated in the background. */
export class BackgroundRuns {
  readonly #runs = new Map<string, FollowedRun>();
  readonly #onEnded: (run: BackgroundRun) => void;

  /** @param onEnded called with each run that has ended, unless it was deleted */
  constructor(onEnded: (run: BackgroundRun) => void) {
    this.#onEnded = onEnded;
  }

  find(id: string): BackgroundRun | undefined {
    return this.#runs.get(id);
  }

  /** Follows a generation to its end. */
  start(run: BackgroundRun): void {
    const queued = run.printer.queue();
    run.log?.append(queued);
    const { id } = run.printer.response;
    this.#runs.set(id, { ...run, ended: this.#follow(id, run) });
  }

  /** Ends a run. @returns the response as it stays; `undefined`: nothing runs under this id */
  async cancel(id: string): Promise<ResponseObject | undefined> {
    const run = this.#runs.get(id);
    if (run === undefined) return undefined;
    run.controller.abort();
    await run.ended;
    return run.printer.response;
  }

  /** Ends a run without keeping its response. @returns whether there was one */
  delete(id: string): boolean {
    const run = this.#runs.get(id);
    run?.controller.abort();
    return this.#runs.delete(id);
  }

  /** Ends all runs, without waiting for them. */
  endAll(): void {
    for (const { controller } of this.#runs.values()) controller.abort();
  }

  async #follow(id: string, run: BackgroundRun): Promise<void> {
    const { printer, events, log } = run;
    const print = (printed: readonly ResponseEvent[]) => log?.append(printed);
    try {
      for await (const { event } of events) {
        if (event.type === "failed") run.onFailed(event.error);
        print(printer.print(event));
      }
    } catch (thrown) {
      const error = toClientError(thrown);
      run.onFailed(error);
      print(printer.print({ type: "failed", error }));
    }
    if (this.#runs.delete(id)) this.#onEnded(run);
    log?.close();
    run.onOver();
  }
}
