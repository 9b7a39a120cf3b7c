import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { probeLiveness } from "../client/liveness-probes.js";
import { startStreams } from "./beside-streams.js";
import { itlP50Measure, itlP99Measure } from "./common-measures.js";
import type { Effort, Load, Scenario } from "./scenario.js";
import { type BodySizes, limits } from "./stalls-body.js";
import { type SentBody, stallsMeasures, stallsSamples } from "./stalls-measures.js";
import { worstRequests } from "./stalls-requests.js";
import { SenderProcess } from "./stalls-sender-process.js";

interface Sizes {
  /** Size of the bodies, relative to the limits. */
  readonly scale: number;
  /** Number of copies of a pipelined request. */
  readonly pipelined: number;
  /** Every `step`-th request is sent. */
  readonly step: number;
  /** Minimum duration of the undisturbed window before the first request. */
  readonly undisturbedMs: number;
  /**
   * Pause before a request, which has just been built, and after its answer, when memory may be
   * freed.
   */
  readonly pauseMs: number;
}

const sizes: Readonly<Record<Effort, Sizes>> = {
  full: { scale: 1, pipelined: 1000, step: 1, undisturbedMs: 5000, pauseMs: 300 },
  quick: { scale: 1 / 8, pipelined: 25, step: 16, undisturbedMs: 100, pauseMs: 5 },
};

/** Resolution of the event-loop delay, which is included in the measured value. */
const LOOP_DELAY_RESOLUTION_MS = 1;
/** Share of a slot that the fitting prompt takes; a full slot would be read for minutes. */
const FITTING_SHARE = 0.5;

/**
 * Worst requests that the limits allow, to every route, while other clients stream: none may block
 * them.
 */
export const stalls: Scenario = {
  name: "stalls",
  description:
    "the worst requests that the limits allow, to every route, one at a time, while clients stream",
  comparison: { kind: "alone" },
  hasProjector: true,
  defaults: {
    full: { model: "135m+gpt-2", clients: [8], slots: 10, contextSize: 4096 },
    quick: { model: "tiny", clients: [4], slots: 6, contextSize: 512 },
  },
  measures: {
    unanswered: { label: "requests without an answer that is due", unit: "", better: "lower" },
    errors: { label: "failed streams and probes", unit: "", better: "lower" },
    healthUndisturbed: { label: "longest /health/live, undisturbed", unit: "ms", better: "lower" },
    healthMax: { label: "longest /health/live", unit: "ms", better: "lower" },
    itlP50: { ...itlP50Measure, label: "ITL p50, undisturbed" },
    itlP99: { ...itlP99Measure, label: "ITL p99, undisturbed" },
    gapMax: { label: "longest gap of a stream", unit: "ms", better: "lower" },
    gapToItl: { label: "longest gap to ITL p99, undisturbed", unit: "", better: "lower" },
    clientMax: { label: "longest delay of the client itself", unit: "ms", better: "lower" },
  },
  targets: [
    { measure: "unanswered", of: "ours", atMost: 0 },
    { measure: "errors", of: "ours", atMost: 0 },
    { measure: "healthMax", of: "ours", atMost: 50 },
    { measure: "gapToItl", of: "ours", atMost: 2 },
  ],
  async run(load) {
    const { clients, baseUrl, effort, signal, recordSample } = load;
    const stop = new AbortController();
    const sender = await SenderProcess.start(signal);
    try {
      const streams = Array.from({ length: clients }, (_, client) =>
        startStreams(load, client, stop.signal),
      );
      await Promise.all(streams.map(({ streaming }) => streaming));
      const probing = probeLiveness(baseUrl, stop.signal);
      const pause = (ms: number) => delay(ms, undefined, { signal });
      // The first streams waited for the prompts of the last ones.
      await pause(sizes[effort].pauseMs);
      const undisturbed = await watch(() =>
        Promise.all([
          pause(sizes[effort].undisturbedMs),
          ...streams.map((stream) => stream.nextGap()),
        ]),
      );
      const bodies = await sendBodies(load, sender);
      stop.abort();
      const records = await Promise.all(streams.map(({ finished }) => finished));
      const observations = {
        undisturbed: undisturbed.watched,
        bodies,
        probes: await probing,
        streams: records.flat(),
      };
      for (const sample of stallsSamples(observations)) recordSample(sample);
      return stallsMeasures(observations);
    } finally {
      stop.abort();
      sender.close();
    }
  },
};

/** Sends every request once, one after another. */
async function sendBodies(load: Load, sender: SenderProcess): Promise<SentBody[]> {
  const { baseUrl, effort, signal } = load;
  const { step, pauseMs } = sizes[effort];
  const names = [...worstRequests.keys()].filter((_, index) => index % step === 0);
  const pause = () => delay(pauseMs, undefined, { signal });
  const sent: SentBody[] = [];
  for (const name of names) {
    const bytes = await sender.build(name, bodySizes(load), baseUrl);
    await pause();
    const { watched, result } = await watch(async () => {
      const sentAtMs = performance.now();
      const answer = await sender.send();
      const tookMs = performance.now() - sentAtMs;
      await pause();
      return { answer, tookMs };
    });
    sent.push({ name, bytes, ...result, watched });
  }
  return sent;
}

/** Runs an action and records its window and the time for which this process was blocked. */
async function watch<Result>(happen: () => Promise<Result>) {
  const loopDelay = monitorEventLoopDelay({ resolution: LOOP_DELAY_RESOLUTION_MS });
  loopDelay.enable();
  const fromMs = performance.now();
  const result = await happen();
  const toMs = performance.now();
  loopDelay.disable();
  return { result, watched: { window: { fromMs, toMs }, clientMs: loopDelay.max / 1e6 } };
}

function bodySizes({ effort, contextSize, prompts }: Load): BodySizes {
  const { scale, pipelined } = sizes[effort];
  return {
    bytes: scale * limits.bytes,
    values: scale * limits.values,
    contextSize,
    pipelined,
    fittingText: prompts.text("fitting", FITTING_SHARE * contextSize),
  };
}
