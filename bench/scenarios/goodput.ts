import type { ChatRequest } from "../client/chat-request.js";
import { inParallel } from "../client/in-parallel.js";
import { inOpenLoop } from "../client/open-loop.js";
import type { RequestRecord } from "../client/request-record.js";
import { poissonArrivals } from "../goodput/arrivals.js";
import { attainment, type LimitPair, limitsOf } from "../goodput/limits.js";
import {
  type LengthLimits,
  medianLengths,
  type RequestLengths,
  shareGptLengths,
} from "../goodput/request-lengths.js";
import { bestSpeedOf, speedOf, toCalibration } from "../goodput/server-speed.js";
import { goodputOf, isMeasured, ratesOf, TARGET_ATTAINMENT } from "../goodput/sweep.js";
import type { PromptWriter } from "../prompts/prompt-writer.js";
import { mean } from "../statistics.js";
import { zip } from "../zip.js";
import { itlP99Measure, ttftP99Measure } from "./common-measures.js";
import { interTokenLatenciesMs, p50AndP99, timesToFirstTokenMs } from "./reductions.js";
import type { Load, Measure, Sample, Scenario } from "./scenario.js";

const sizes = {
  full: { scale: 0.25, idleRequests: 5 },
  quick: { scale: 0.1, idleRequests: 2 },
} as const;

// Names of sampled values.
const RATE = "req/s";
const STRICT = "strict %";
const LOOSE = "loose %";

const goodputMeasure = { unit: "req/s", better: "higher" } as const;
const ttftMeanMeasure: Measure = { label: "TTFT mean", unit: "ms", better: "lower" };

/** Random arrivals at rising rates: requests per second that are served within the limits. */
export const goodput: Scenario = {
  name: "goodput",
  description:
    "random arrivals at rising rates, with the lengths of ShareGPT: requests per second served within limits",
  comparison: { kind: "peer" },
  // Each client sends one request at each rate.
  defaults: {
    full: { model: "135m+gpt-2", clients: [60], slots: 32, contextSize: 512 },
    quick: { model: "tiny", clients: [8], slots: 4, contextSize: 512 },
  },
  measures: {
    goodputStrict: { ...goodputMeasure, label: "goodput, strict limits" },
    goodputLoose: { ...goodputMeasure, label: "goodput, loose limits" },
    ttftMean: atHighestRate(ttftMeanMeasure),
    ttftP99: atHighestRate(ttftP99Measure),
    itlP99: atHighestRate(itlP99Measure),
  },
  targets: [
    { measure: "goodputStrict", model: "135m+gpt-2", of: "ratio", atLeast: 1.3 },
    { measure: "goodputLoose", model: "135m+gpt-2", of: "ratio", atLeast: 1.3 },
    { measure: "ttftMean", model: "135m+gpt-2", of: "ratio", atMost: 1 },
    { measure: "ttftP99", model: "135m+gpt-2", of: "ratio", atMost: 1 },
    { measure: "itlP99", model: "135m+gpt-2", of: "ratio", atMost: 1 },
  ],
  curve: {
    label: "requests within both limits, %",
    over: RATE,
    lines: [STRICT, LOOSE],
    mark: 100 * TARGET_ATTAINMENT,
  },
  async calibrate(load) {
    const { effort, prompts, complete } = load;
    const median = medianLengths(lengthLimits(load));
    const idle = await inParallel(sizes[effort].idleRequests, 1, (number) =>
      complete(requestOf(median, `idle ${number}`, prompts)),
    );
    const burst = await Promise.all(
      lengthsOf(load).map((lengths, number) =>
        complete(requestOf(lengths, `burst ${number}`, prompts)),
      ),
    );
    return toCalibration(speedOf(idle, burst));
  },
  async run(load) {
    const { calibrations, clients, prompts, complete, recordSample, signal } = load;
    const { capacity, idle } = bestSpeedOf(calibrations);
    const limits = limitsOf(idle);
    const rates = ratesOf(capacity);
    // The same requests at every rate, so that the curve shows the rate and not random variation.
    const requests = zip(poissonArrivals(clients, prompts.random("arrivals")), lengthsOf(load));
    const points: RatePoint[] = [];
    for (const rate of rates) {
      if (!isMeasured(rate, rates, points.at(-1)?.loose)) continue;
      const calls = requests.map(([atSeconds, lengths], number) => ({
        atMs: (1000 * atSeconds) / rate,
        call: () => complete(requestOf(lengths, `${rate} ${number}`, prompts)),
      }));
      const point = ratePoint(rate, await inOpenLoop(calls, signal), limits);
      points.push(point);
      recordSample(sampleOf(point));
    }
    return goodputMeasures(points);
  },
};

/** Results at one rate of a sweep. */
export interface RatePoint {
  /** Requests per second. */
  readonly rate: number;
  /** Shares of the requests within the limits. */
  readonly strict: number;
  readonly loose: number;
  readonly ttftMeanMs: number;
  readonly ttftP99Ms: number;
  readonly itlMeanMs: number;
  readonly itlP99Ms: number;
}

/** Reduces the requests sent at one rate. */
export function ratePoint(
  rate: number,
  records: readonly RequestRecord[],
  { strict, loose }: LimitPair,
): RatePoint {
  const ttftMs = timesToFirstTokenMs(records);
  const itlMs = interTokenLatenciesMs(records);
  return {
    rate,
    strict: attainment(records, strict),
    loose: attainment(records, loose),
    ttftMeanMs: mean(ttftMs),
    ttftP99Ms: p50AndP99(ttftMs).p99,
    itlMeanMs: mean(itlMs),
    itlP99Ms: p50AndP99(itlMs).p99,
  };
}

/** Measures of one run. */
export function goodputMeasures(points: readonly RatePoint[]) {
  const attainments = (limits: "strict" | "loose") =>
    points.map((point) => ({ rate: point.rate, attainment: point[limits] }));
  const highest = points.at(-1);
  return {
    goodputStrict: goodputOf(attainments("strict")),
    goodputLoose: goodputOf(attainments("loose")),
    ttftMean: highest?.ttftMeanMs ?? Number.NaN,
    ttftP99: highest?.ttftP99Ms ?? Number.NaN,
    itlP99: highest?.itlP99Ms ?? Number.NaN,
  };
}

function sampleOf(point: RatePoint): Sample {
  return {
    [RATE]: point.rate,
    [STRICT]: 100 * point.strict,
    [LOOSE]: 100 * point.loose,
    "TTFT mean ms": point.ttftMeanMs,
    "TTFT p99 ms": point.ttftP99Ms,
    "ITL mean ms": point.itlMeanMs,
    "ITL p99 ms": point.itlP99Ms,
  };
}

function lengthsOf(load: Load): RequestLengths[] {
  return shareGptLengths(load.clients, lengthLimits(load), load.prompts.random("lengths"));
}

function lengthLimits({ effort, contextSize }: Load): LengthLimits {
  return { scale: sizes[effort].scale, contextSize };
}

function requestOf(
  { promptTokens, maxTokens }: RequestLengths,
  name: string,
  prompts: PromptWriter,
): ChatRequest {
  return { messages: [{ role: "user", content: prompts.text(name, promptTokens) }], maxTokens };
}

function atHighestRate(measure: Measure): Measure {
  return { ...measure, label: `${measure.label} at the highest rate` };
}
