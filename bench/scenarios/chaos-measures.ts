import { percentile } from "../statistics.js";
import type { Asked } from "./known-answers.js";

/** Fault inflicted on the engine's process, on the clock of the records. */
export interface Fault {
  readonly signal: NodeJS.Signals;
  readonly atMs: number;
  /** Time at which a new process was ready for requests; absent: not within the time limit. */
  readonly readyAtMs: number | undefined;
}

/** Outcome of a request whose answer is known. */
export type Outcome =
  /** The complete known answer. */
  | "answered"
  /** No end within the time limit. */
  | "hung"
  /** Text that is neither the known answer nor a prefix of it. */
  | "wrong"
  /** A stream ended with one error event after a prefix of the known answer. */
  | "cut"
  /** A stream ended without an error event, or with several, after it had begun. */
  | "torn"
  /** Refused with `Retry-After` while there was no engine. */
  | "refused"
  /** Failed while waiting, or before its answer had begun. */
  | "lost";

/** A request sent this shortly before a fault may arrive after it. */
const MARGIN_MS = 100;

/** Determines the outcome of a request. */
export function outcomeOf({ known, record }: Asked, faults: readonly Fault[]): Outcome {
  if (record === undefined) return "hung";
  const { text, error, errorEvents = 0, refusal, startedAtMs } = record;
  if (error === undefined) return text === known.text ? "answered" : "wrong";
  if (!known.text.startsWith(text)) return "wrong";
  if (text !== "") return errorEvents === 1 ? "cut" : "torn";
  const mayTryAgain = refusal?.retryAfterSeconds !== undefined && refusal.status === 503;
  return mayTryAgain && isWithoutEngine(startedAtMs, faults) ? "refused" : "lost";
}

function isWithoutEngine(atMs: number, faults: readonly Fault[]): boolean {
  return faults.some(
    (fault) => atMs > fault.atMs - MARGIN_MS && atMs < (fault.readyAtMs ?? Infinity) + MARGIN_MS,
  );
}

/** Observations of one run. */
export interface ChaosObservations {
  readonly asked: readonly Asked[];
  readonly faults: readonly Fault[];
  readonly unstable: number;
  readonly probes: readonly { readonly error: string | undefined }[];
}

/** Measures of one run. */
export function chaosMeasures({ asked, faults, unstable, probes }: ChaosObservations) {
  const outcomes = asked.map((each) => outcomeOf(each, faults));
  const count = (outcome: Outcome) => outcomes.filter((each) => each === outcome).length;
  const readySeconds = faults.flatMap(({ atMs, readyAtMs }) =>
    readyAtMs === undefined ? [] : [(readyAtMs - atMs) / 1000],
  );
  return {
    faults: faults.length,
    hung: count("hung"),
    wrong: count("wrong"),
    lost: count("lost"),
    torn: count("torn"),
    notReady: faults.length - readySeconds.length,
    healthFailures: probes.filter(({ error }) => error !== undefined).length,
    answered: count("answered"),
    cut: count("cut"),
    refused: count("refused"),
    unstable,
    readyP50: percentile(readySeconds, 50),
    readyMax: Math.max(...readySeconds),
  };
}
