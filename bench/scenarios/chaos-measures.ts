import { percentile } from "../statistics.js";
import type { Asked } from "./known-answer-clients.js";

/** What was done to the engine's process, on the clock of the records. */
export interface Fault {
  readonly signal: NodeJS.Signals;
  readonly atMs: number;
  /** When a new process was ready for requests; absent: it was not in time. */
  readonly readyAtMs: number | undefined;
}

/** What became of a request whose answer is known. */
export type Outcome =
  /** The known answer, whole. */
  | "answered"
  /** No end within the time limit. */
  | "hung"
  /** Another text than the known one, or a piece of another one. */
  | "wrong"
  /** A stream that had begun ended with one error event, behind a piece of the known answer. */
  | "cut"
  /** A stream that had begun ended without an error event, or with several. */
  | "torn"
  /** Refused with `Retry-After`, when there was no engine. */
  | "refused"
  /** It waited, or had not begun to answer, and failed. */
  | "lost";

/** A request that was sent so shortly before a fault may arrive after it. */
const MARGIN_MS = 100;

/** Judges a request. */
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

/** All that one run saw. */
export interface ChaosObservations {
  readonly asked: readonly Asked[];
  readonly faults: readonly Fault[];
  readonly unstable: number;
  /** Calls of the to-do service that failed, and items that are not what they should be. */
  readonly todoFailures: number;
  readonly probes: readonly { readonly error: string | undefined }[];
}

/** The measures of one run. */
export function chaosMeasures({
  asked,
  faults,
  unstable,
  todoFailures,
  probes,
}: ChaosObservations) {
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
    todoFailures,
    healthFailures: probes.filter(({ error }) => error !== undefined).length,
    answered: count("answered"),
    cut: count("cut"),
    refused: count("refused"),
    unstable,
    readyP50: percentile(readySeconds, 50),
    readyMax: Math.max(...readySeconds),
  };
}
