import { setTimeout as delay } from "node:timers/promises";
import { jpegOfScans } from "../../models/random/slow-images.js";
import { besideStreams, type StreamFigures, streamFigures } from "./beside-streams.js";
import { streamMeasures } from "./images.js";
import type { Effort, Load, Scenario } from "./scenario.js";

const sizes = {
  full: { calmMs: 15_000, images: 6, side: 6000, scans: 10_000 },
  quick: { calmMs: 50, images: 1, side: 64, scans: 10 },
} as const satisfies Record<Effort, object>;

const model = "15m+gpt-2";

const [calmP50, calmP99, , calmRate] = streamMeasures("without images");
const [p50, p99, , rate] = streamMeasures("with images");

/** Streams while a client sends images that use up the decoder's CPU time limit. */
export const hostileImages: Scenario = {
  name: "hostile-images",
  description: "8 streams, and a client whose images take the decoder's full time limit",
  comparison: { kind: "alone" },
  hasProjector: true,
  defaults: {
    full: { model, clients: [8], slots: 12, contextSize: 1024 },
    quick: { model: "tiny", clients: [2], slots: 4, contextSize: 512 },
  },
  measures: {
    ...{ calmP50, p50, calmP99, p99 },
    p99Ratio: { label: "ITL p99, with images to without", unit: "", better: "lower" },
    ...{ calmRate, rate },
    refused: { label: "images that were refused", unit: "", better: "higher" },
  },
  targets: [{ measure: "p99Ratio", clients: 8, model, of: "ours", atMost: 2 }],
  async run(load) {
    const { streams, result } = await besideStreams(load, async () => {
      const fromMs = performance.now();
      await delay(sizes[load.effort].calmMs, undefined, { signal: load.signal });
      const changedMs = performance.now();
      const refused = await sendHostileImages(load);
      return { refused, fromMs, changedMs, toMs: performance.now() };
    });
    const { fromMs, changedMs, toMs, refused } = result;
    const calm = streamFigures({ fromMs, toMs: changedMs }, streams);
    const during = streamFigures({ fromMs: changedMs, toMs }, streams);
    return { ...hostileImagesMeasures(calm, during), refused };
  },
};

export function hostileImagesMeasures(calm: StreamFigures, during: StreamFigures) {
  return {
    ...{ calmP50: calm.p50, p50: during.p50, calmP99: calm.p99, p99: during.p99 },
    p99Ratio: during.p99 / calm.p99,
    ...{ calmRate: calm.rate, rate: during.rate },
  };
}

/**
 * Sends the images one after another.
 * @returns the number of refused images
 */
async function sendHostileImages({ effort, post, signal }: Load): Promise<number> {
  const { images, side, scans } = sizes[effort];
  let refused = 0;
  for (let number = 0; number < images && !signal.aborted; number++) {
    // A different file each time, because known files are not decoded again.
    const file = jpegOfScans({ width: side, height: side }, scans + number);
    const url = `data:image/jpeg;base64,${file.toString("base64")}`;
    const content = [{ type: "image_url", image_url: { url } }];
    const { record } = await post("chat/completions/input_tokens", {
      messages: [{ role: "user", content }],
    });
    if (record.error?.includes("decodes within")) refused += 1;
  }
  return refused;
}
