import assert from "node:assert/strict";
import { type GgufdError, toClientError } from "../../core/errors.js";
import type { ResponsePrinter } from "./answer.js";
import type { EventLog } from "./event-log.js";
import type { ResponseEvent } from "./event-schema.js";
import type { StoredItem } from "./item-schema.js";
import type { ResponseObject } from "./response-schema.js";
import type { StoredResponse } from "./response-store.js";
import { endsResponse, type RunEvent } from "./run-tools.js";

/** Response that has not ended, and the items of its conversation. */
export interface UnfinishedResponse extends Pick<StoredResponse, "earlier" | "input"> {
  readonly printer: ResponsePrinter;
  /** Records of begun calls in the conversation, which the output replaces. */
  readonly markers: readonly StoredItem[];
  /**
   * Called with the error that ends the generation or prevents its storage, since no client may be
   * left to receive it.
   */
  readonly onFailed: (error: GgufdError) => void;
  /** Called when the conversation will not receive any more items of this response. */
  readonly onKept: () => void;
}

/** Response that is generated even if no client waits for it. */
export interface BackgroundRun extends UnfinishedResponse {
  readonly events: AsyncIterable<{ readonly event: RunEvent }>;
  /** Aborts the generation. */
  readonly controller: AbortController;
  /** Called once when the generation has ended, for any reason. */
  readonly onSettled: () => void;
  /** Events of the response; `undefined`: the request has no `stream`. */
  readonly log: EventLog | undefined;
}

interface FollowedRun extends BackgroundRun {
  /** Resolves when the response has ended. */
  readonly ended: Promise<void>;
}

interface RunHooks {
  /** Awaited at the end of each run that was not deleted, before clients receive the end. */
  readonly onEnding: (run: BackgroundRun) => Promise<void>;
  /** Called after the end of each run that was not deleted. */
  readonly onEnded: (run: BackgroundRun) => void;
}

/** Responses of one owner that are being generated in the background. */
export class BackgroundRuns {
  readonly #runs = new Map<string, FollowedRun>();
  readonly #hooks: RunHooks;

  constructor(hooks: RunHooks) {
    this.#hooks = hooks;
  }

  find(id: string): BackgroundRun | undefined {
    return this.#runs.get(id);
  }

  /** Starts a run, which reads the generation to its end. */
  start(run: BackgroundRun): void {
    const { id } = run.printer.response;
    assert(!this.#runs.has(id), "an id belongs to one run");
    const queued = run.printer.queue();
    run.log?.append(queued);
    this.#runs.set(id, { ...run, ended: this.#follow(id, run) });
  }

  /** Cancels a run. @returns its final response; `undefined`: there is no run with this id */
  async cancel(id: string): Promise<ResponseObject | undefined> {
    const run = this.#runs.get(id);
    if (run === undefined) return undefined;
    run.controller.abort();
    await run.ended;
    return run.printer.response;
  }

  /** Cancels a run, and discards its response. @returns whether there was one */
  delete(id: string): boolean {
    const run = this.#runs.get(id);
    run?.controller.abort();
    return this.#remove(id);
  }

  /** Cancels all runs, and resolves when they have ended. */
  async endAll(): Promise<void> {
    for (const { controller } of this.#runs.values()) controller.abort();
    await Promise.all(Array.from(this.#runs.values(), ({ ended }) => ended));
  }

  async #follow(id: string, run: BackgroundRun): Promise<void> {
    const { log } = run;
    const last = await this.#printAll(run);
    if (this.#runs.has(id)) await this.#hooks.onEnding(run);
    if (this.#remove(id)) this.#hooks.onEnded(run);
    log?.append(last);
    log?.close();
    run.onSettled();
  }

  /** @returns the last events, which are not in the log yet */
  async #printAll({
    printer,
    events,
    log,
    onFailed,
  }: BackgroundRun): Promise<readonly ResponseEvent[]> {
    let last: readonly ResponseEvent[] = [];
    try {
      for await (const { event } of events) {
        if (event.type === "failed") onFailed(event.error);
        const printed = printer.print(event);
        if (endsResponse(event)) last = printed;
        else log?.append(printed);
      }
      return last;
    } catch (thrown) {
      const error = toClientError(thrown);
      onFailed(error);
      return printer.print({ type: "failed", error });
    }
  }

  #remove(id: string): boolean {
    this.#runs.get(id)?.onKept();
    return this.#runs.delete(id);
  }
}
