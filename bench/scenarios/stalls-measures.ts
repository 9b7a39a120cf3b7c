/** Reduces a run of `stalls` to the effects of each body on other clients. */
import type { LivenessProbe } from "../client/liveness-probes.js";
import type { RequestRecord } from "../client/request-record.js";
import type { Answer } from "../client/send-request.js";
import { p50AndP99, type Window } from "./reductions.js";
import type { Sample } from "./scenario.js";

/** Body that was sent. */
export interface SentBody {
  readonly name: string;
  readonly bytes: number;
  readonly answer: Answer;
  readonly tookMs: number;
  readonly watched: Watched;
}

/** Window in which other clients are observed, on the clock of all times. */
export interface Watched {
  /** Window of a body: from its first byte until some time after its answer. */
  readonly window: Window;
  /** Longest time that the load client itself was blocked, in milliseconds. */
  readonly clientMs: number;
}

/** Observations of one run; all times are on one clock. */
export interface Observations {
  /** Window before the first body. */
  readonly undisturbed: Watched;
  readonly bodies: readonly SentBody[];
  readonly probes: readonly LivenessProbe[];
  readonly streams: readonly RequestRecord[];
}

/** Measures of one run. */
export function stallsMeasures(observations: Observations) {
  const { undisturbed, bodies, probes, streams } = observations;
  const stallDuring = stallsOf(observations);
  const stalls = bodies.map(({ watched }) => stallDuring(watched));
  const gapMax = Math.max(...stalls.map(({ gapMs }) => gapMs));
  const itl = undisturbedItl(observations);
  return {
    unanswered: bodies.filter(({ answer }) => !isAnswered(answer)).length,
    errors: [...probes, ...streams].filter(({ error }) => error !== undefined).length,
    healthUndisturbed: stallDuring(undisturbed).healthMs,
    healthMax: Math.max(...stalls.map(({ healthMs }) => healthMs)),
    itlP50: itl.p50,
    itlP99: itl.p99,
    gapMax,
    gapToItl: gapMax / itl.p99,
    clientMax: Math.max(...bodies.map(({ watched }) => watched.clientMs)),
  };
}

/** Builds a sample for the undisturbed window and for each body. */
export function stallsSamples(observations: Observations): Sample[] {
  const { undisturbed, bodies } = observations;
  const stallDuring = stallsOf(observations);
  const itl = undisturbedItl(observations);
  const watchedColumns = (watched: Watched) => {
    const { healthMs, gapMs } = stallDuring(watched);
    return {
      "health ms": healthMs,
      "gap ms": gapMs,
      "gap to ITL": gapMs / itl.p99,
      "client ms": watched.clientMs,
    };
  };
  const undisturbedMs = lengthMs(undisturbed.window);
  return [
    { body: "(none)", MB: 0, "took ms": undisturbedMs, ...watchedColumns(undisturbed), answer: "" },
    ...bodies.map(({ name, bytes, tookMs, watched, answer }) => ({
      body: name,
      MB: bytes / 1e6,
      "took ms": tookMs,
      ...watchedColumns(watched),
      answer: describeAnswer(answer),
    })),
  ];
}

/** Status of features that the server does not have, such as Ollama's model store. */
const NOT_IMPLEMENTED = 501;

/**
 * Whether the answer is acceptable: success, a client error, an unsupported feature, or a refusal
 * because of too many concurrent answers.
 */
export function isAnswered(answer: Answer): boolean {
  if (answer.kind === "none") return false;
  const { status, code } = answer;
  const hundreds = Math.floor(status / 100);
  return (
    hundreds === 2 || hundreds === 4 || status === NOT_IMPLEMENTED || code === "server_overloaded"
  );
}

/** Describes an answer: `200`, `400 invalid_json`, `socket hang up` */
export function describeAnswer(answer: Answer): string {
  if (answer.kind === "none") return answer.reason;
  return [answer.status, answer.code].filter((part) => part !== undefined).join(" ");
}

/** Effects on other clients in a window, in milliseconds. */
export interface Stall {
  /** Longest time to an answer of `/health/live`. */
  readonly healthMs: number;
  /** Longest time between two chunks of one stream. */
  readonly gapMs: number;
}

/** Returns a function that computes the effects in a window. */
function stallsOf({ probes, streams }: Observations): (watched: Watched) => Stall {
  const waits = probes.map(({ sentAtMs, answeredAtMs }) => ({
    fromMs: sentAtMs,
    toMs: answeredAtMs,
  }));
  const gaps = chunkGaps(streams);
  return ({ window }) => ({
    healthMs: longestDuring(window, waits),
    gapMs: longestDuring(window, gaps),
  });
}

/** Gaps that ended in the undisturbed window; later ones may be due to the first body. */
function undisturbedItl({ undisturbed: { window }, streams }: Observations) {
  const gaps = chunkGaps(streams).filter(
    ({ toMs }) => window.fromMs <= toMs && toMs <= window.toMs,
  );
  return p50AndP99(gaps.map(lengthMs));
}

/**
 * Windows between chunks with text of one stream, including the one from the last chunk to the end,
 * which is the only gap of a stream that hangs.
 */
export function chunkGaps(streams: readonly RequestRecord[]): Window[] {
  return streams.flatMap(({ chunkTimesMs, endedAtMs }) =>
    chunkTimesMs.map((fromMs, index) => ({ fromMs, toMs: chunkTimesMs[index + 1] ?? endedAtMs })),
  );
}

/**
 * Length of the longest interval that overlaps the window, in milliseconds; 0 if there is none.
 * Intervals count in full: one that ends soon after the start of the window is as bad.
 */
export function longestDuring(window: Window, intervals: readonly Window[]): number {
  return intervals
    .filter((interval) => overlap(interval, window))
    .reduce((longest, interval) => Math.max(longest, lengthMs(interval)), 0);
}

function overlap(one: Window, other: Window): boolean {
  return one.fromMs < other.toMs && other.fromMs < one.toMs;
}

function lengthMs({ fromMs, toMs }: Window): number {
  return toMs - fromMs;
}
