import assert from "node:assert/strict";
import { settlesWithin } from "../core/settles-within.js";
import type { ModelInstance } from "../models/pool/pooled-model.js";
import type { Entrance } from "./entrance.js";

/** The parts of a server to stop. */
export interface ServingParts {
  /** Turns the server unready and rejects new requests. */
  readonly refuseRequests: () => void;
  readonly models: readonly Pick<ModelInstance, "whenIdle" | "endAll" | "close">[];
  readonly entrance: Pick<Entrance, "close" | "destroyConnections">;
  /** To-dos and conversations. */
  readonly stored: { close(): Promise<void> };
  readonly reports: { close(): Promise<void> };
  /** Time for requests to finish, in milliseconds. */
  readonly drainTimeoutMs: number;
  /** Ends the drain at once. */
  readonly force: AbortSignal;
  readonly warn: (message: string) => void;
}

/**
 * Time for the engine to confirm that it has aborted its requests, in milliseconds: one step and a
 * reserve.
 */
const ENDING_GRACE_MS = 2000;
/**
 * Time for unresponsive models to close while clients still wait for a last event, in milliseconds.
 */
const UNCONFIRMED_CLOSING_MS = 5000;
/** Time for slow clients to read their completed responses, in milliseconds. */
const READING_GRACE_MS = 2000;
/**
 * Time for models to close, in milliseconds. Models in separate processes take less; a model in
 * this process may hang forever.
 */
const CLOSING_LIMIT_MS = 20_000;

/**
 * Stops serving: lets requests finish, aborts the unfinished ones at the deadline, closes
 * connections, settles changes to stored data, and frees the models. Every wait for an engine or a
 * client has a limit, so the shutdown always completes.
 */
export async function stopServing(parts: ServingParts): Promise<void> {
  const { refuseRequests, models, entrance, stored, reports, warn } = parts;
  assert(parts.drainTimeoutMs >= 0, `expected at least 0 ms to drain, got ${parts.drainTimeoutMs}`);
  const closeModels = () => Promise.all(models.map((model) => model.close()));
  refuseRequests();
  if ((await drain(parts)) === "unconfirmed") {
    warn("the engine has not confirmed the end of its requests; it is closed regardless");
    // Closing the models fails the requests, so that streams receive their last event.
    await settlesWithin(closeModels(), UNCONFIRMED_CLOSING_MS);
  }
  await closeConnections(entrance);
  await stored.close();
  if (!(await settlesWithin(closeModels(), CLOSING_LIMIT_MS))) {
    warn("a model has not been closed in time");
  }
  await reports.close();
}

/** Waits for requests in flight; aborts them at the deadline, or when `force` aborts. */
async function drain({
  models,
  drainTimeoutMs,
  force,
}: ServingParts): Promise<"drained" | "unconfirmed"> {
  const idle = Promise.all(models.map((model) => model.whenIdle()));
  if (await settlesWithin(idle, drainTimeoutMs, force)) return "drained";
  for (const model of models) model.endAll();
  return (await settlesWithin(idle, ENDING_GRACE_MS)) ? "drained" : "unconfirmed";
}

/** Lets responses reach their clients; connections still open after the grace period are closed. */
export async function closeConnections(entrance: ServingParts["entrance"]): Promise<void> {
  const deadline = setTimeout(() => entrance.destroyConnections(), READING_GRACE_MS);
  await entrance.close();
  clearTimeout(deadline);
}

/** The daemon's reaction to a signal to stop. */
export type StopStep =
  /** Rejects new requests and lets requests in flight finish. */
  | "drain"
  /** Aborts requests in flight with an error that clients receive. */
  | "end"
  /** Exits, whatever is unfinished. */
  | "exit"
  /** Ignores a duplicate of the previous signal. */
  | "nothing";

/**
 * Interval within which signals count as one, in milliseconds: a terminal sends Ctrl-C to all
 * processes of a command, and npm forwards the signals that it receives.
 */
const REPEAT_MS = 1000;

const STEPS = ["drain", "end", "exit"] as const;

/** Sequence of signals to stop, each more urgent than the last. */
export class StopSignals {
  #steps = 0;
  #lastAtMs = Number.NEGATIVE_INFINITY;

  /**
   * Returns the reaction to a signal.
   * @param nowMs current time on a monotonic clock
   */
  receive(nowMs: number): StopStep {
    if (nowMs - this.#lastAtMs < REPEAT_MS) return "nothing";
    this.#lastAtMs = nowMs;
    const step = STEPS[this.#steps] ?? "exit";
    this.#steps += 1;
    return step;
  }
}
