import assert from "node:assert/strict";
import { settlesWithin } from "../core/settles-within.js";
import type { ModelInstance } from "../models/pool/pooled-model.js";
import type { Entrance } from "./entrance.js";

/** What is stopped. */
export interface ServingParts {
  /** Turns unready and refuses new requests. */
  readonly refuseRequests: () => void;
  readonly models: readonly Pick<ModelInstance, "idle" | "endAll" | "close">[];
  readonly entrance: Pick<Entrance, "close" | "destroyConnections">;
  /** To-dos and conversations. */
  readonly stored: { close(): Promise<void> };
  readonly reports: { close(): Promise<void> };
  /** Time for requests to finish, in milliseconds. */
  readonly drainTimeoutMs: number;
  /** Ends that time at once. */
  readonly force: AbortSignal;
  readonly warn: (message: string) => void;
}

/** Time for the engine to confirm that it has ended what it was told to end: a step and some to spare. */
const ENDING_GRACE_MS = 2000;
/** Time for models that confirm nothing to close, while clients still wait for a last event from them. */
const UNCONFIRMED_CLOSING_MS = 5000;
/** Time for slow clients to read their completed responses. */
const READING_GRACE_MS = 2000;
/** Models in processes close in less; one in this process may hang for ever. */
const CLOSING_LIMIT_MS = 20_000;

/**
 * Stops serving: lets requests finish, ends those that have not at the deadline, closes connections, settles changes
 * to what is stored, and frees the models. Every wait for an engine or a client has a limit: it comes to its end whatever they do.
 */
export async function stopServing(parts: ServingParts): Promise<void> {
  const { refuseRequests, models, entrance, stored, reports, warn } = parts;
  assert(parts.drainTimeoutMs >= 0, `expected a time to drain, got ${parts.drainTimeoutMs} ms`);
  const closeModels = () => Promise.all(models.map((model) => model.close()));
  refuseRequests();
  if ((await drain(parts)) === "unconfirmed") {
    warn("the engine has not confirmed the end of its requests: it is closed while they wait");
    // Its end fails them, so that streams get their last event.
    await settlesWithin(closeModels(), UNCONFIRMED_CLOSING_MS);
  }
  await closeConnections(entrance);
  await stored.close();
  if (!(await settlesWithin(closeModels(), CLOSING_LIMIT_MS))) {
    warn("a model has not been closed in time");
  }
  await reports.close();
}

/** Waits for requests in flight; ends them at the deadline, or when `force` aborts. */
async function drain({
  models,
  drainTimeoutMs,
  force,
}: ServingParts): Promise<"drained" | "unconfirmed"> {
  const idle = Promise.all(models.map((model) => model.idle()));
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

/** What the daemon does about a signal to stop. */
export type StopStep =
  /** It refuses new requests, and lets those in flight finish. */
  | "drain"
  /** It ends those in flight, with an error that their clients see. */
  | "end"
  /** It exits, whatever is unfinished. */
  | "exit"
  /** The signal is one that it has had. */
  | "nothing";

/**
 * Signals that come so soon after the last one are the same: a terminal sends Ctrl-C to all processes of a command, and
 * npm passes on what it gets.
 */
const REPEAT_MS = 1000;

const STEPS = ["drain", "end", "exit"] as const;

/** Signals to stop, each of which is more urgent than the last. */
export class StopSignals {
  #steps = 0;
  #lastAtMs = Number.NEGATIVE_INFINITY;

  /** @param nowMs on a clock that never goes back */
  receive(nowMs: number): StopStep {
    if (nowMs - this.#lastAtMs < REPEAT_MS) return "nothing";
    this.#lastAtMs = nowMs;
    const step = STEPS[this.#steps] ?? "exit";
    this.#steps += 1;
    return step;
  }
}
