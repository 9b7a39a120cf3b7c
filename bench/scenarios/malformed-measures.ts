import type { Exchange } from "../malformed/exchange.js";
import type { Offence } from "../malformed/judge.js";
import type { MalformedKind, RawRequest } from "../malformed/raw-request.js";
import type { ServerMemory } from "../servers/process-memory.js";
import type { Sample } from "./scenario.js";
import { driftBytes, totalBytes } from "./watch-memory.js";

/** Request, the server's response, and the offence in it. */
export interface Sent {
  readonly request: RawRequest;
  readonly answer: Exchange;
  readonly offence: Offence | undefined;
}

/** Observations of one run. */
export interface MalformedObservations {
  readonly sent: readonly Sent[];
  /** Memory readings, evenly spaced. */
  readonly readings: readonly ServerMemory[];
  /** Number of processes with a model that ended. */
  readonly crashes: number;
  /** Number of valid requests, sent after all others, that failed. */
  readonly unserved: number;
}

/** Measures of one run. */
export function malformedMeasures({ sent, readings, crashes, unserved }: MalformedObservations) {
  const count = (offence: Offence) => sent.filter((each) => each.offence === offence).length;
  const [first = Number.NaN] = readings.map(totalBytes);
  const last = readings.map(totalBytes).at(-1) ?? Number.NaN;
  return {
    crashes,
    serverErrors: count("server error"),
    unanswered: count("no answer"),
    accepted: count("accepted"),
    overloaded: sent.filter(({ answer }) => answer.statuses.includes(503)).length,
    unserved,
    sent: sent.length,
    growth: (last - first) / 1e6,
    drift: driftBytes(readings) / 1e6,
  };
}

/** Number of characters of an offending request that are shown. */
const MAX_SHOWN = 600;

/** Builds a line for each kind of request, with the first request that shows an offence. */
export function malformedSamples(sent: readonly Sent[]): Sample[] {
  const kinds = [...new Set(sent.map(({ request }) => request.kind))].toSorted();
  return kinds.map((kind) =>
    sampleOf(
      kind,
      sent.filter(({ request }) => request.kind === kind),
    ),
  );
}

function sampleOf(kind: MalformedKind, sent: readonly Sent[]): Sample {
  const withStatus = (from: number) =>
    sent.filter(
      ({
        answer: {
          statuses: [first = 0],
        },
      }) => first >= from && first < from + 100,
    );
  const offending = sent.filter(({ offence }) => offence !== undefined);
  const [first] = offending;
  return {
    kind,
    requests: sent.length,
    "2xx": withStatus(200).length,
    "4xx": withStatus(400).length,
    "5xx": withStatus(500).length,
    "closed only": sent.filter(({ answer }) => answer.statuses.length === 0).length,
    faults: offending.length,
    "first fault": first === undefined ? "none" : describe(first),
  };
}

/** Describes a request completely, so that it can be sent again, unless it is long. */
function describe({ request, answer, offence }: Sent): string {
  const bytes = JSON.stringify(request.bytes.toString("latin1").slice(0, MAX_SHOWN));
  return `${offence} (${request.name}): ${bytes} → ${JSON.stringify(answer.answer) || answer.end}`;
}
