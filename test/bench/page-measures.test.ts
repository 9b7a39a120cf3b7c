import { describe, expect, it } from "vitest";
import type { PageRequest } from "../../bench/browser/record-page.js";
import type { Replayed } from "../../bench/client/replay-requests.js";
import { blockingTimeMs, pageMeasures, pageSamples } from "../../bench/scenarios/page-measures.js";
import { record } from "./records.js";

const load = (firstPaintMs: number, longTasksMs: readonly number[], transferredBytes: number) => ({
  firstPaintMs,
  longTasksMs,
  bytesForPaint: transferredBytes / 2,
  transferredBytes,
});

const longThread = {
  ...{ scriptMs: 200, shownMs: 400 },
  ...{ typingTasksMs: [], streamingTasksMs: [60] },
};

const request = (path: string, kind: PageRequest["kind"]): PageRequest => ({
  ...{ method: "GET", path, kind, headers: {}, atMs: 0 },
});

const requests = [
  request("/", "file"),
  request("/metrics", "call"),
  request("/v1/models/sse", "stream"),
  request("/metrics", "call"),
];

const failed: Replayed = {
  kind: "failed",
  request: request("/metrics", "call"),
  reason: "HTTP 503",
};

/** Chunk times every `everyMs` between two times. */
const chunks = (fromMs: number, toMs: number, everyMs: number) =>
  Array.from({ length: (toMs - fromMs) / everyMs }, (_, index) => fromMs + (index + 1) * everyMs);

describe("pageMeasures", () => {
  it("sums the part of long tasks above 50 ms", () => {
    expect(blockingTimeMs(load(0, [50, 60, 150], 0))).toBe(110);
    expect(blockingTimeMs(load(0, [], 0))).toBe(0);
  });

  it("returns medians over loads and windows, and ratios within pairs", () => {
    // The machine is half as fast in the second pair.
    const chunkTimesMs = [
      ...[0, ...chunks(0, 1000, 10), ...chunks(1000, 2000, 20)],
      ...[...chunks(2000, 3000, 20), ...chunks(3000, 4000, 40)],
    ];
    const measures = pageMeasures({
      loads: [load(300, [70], 9000), load(100, [], 7000), load(200, [60], 8000)],
      longThread,
      requests,
      recordedMs: 2000,
      replayed: [{ kind: "answered" }, failed, { kind: "cut" }],
      pairs: [
        { calm: { fromMs: 1, toMs: 1001 }, page: { fromMs: 1001, toMs: 2001 } },
        { calm: { fromMs: 2001, toMs: 3001 }, page: { fromMs: 3001, toMs: 4001 } },
      ],
      streams: [record({ chunkTimesMs }), record({ error: "refused", chunkTimesMs: [0, 500] })],
    });
    expect(measures).toEqual({
      firstPaint: 200,
      blocking: 10,
      ...{ transferredForPaint: 4, threadScript: 200, threadShown: 400 },
      ...{ typingTasks: 0, streamingTasks: 1 },
      transferred: 8,
      calls: 1.5,
      failures: 1,
      calmItlP50: 15,
      itlP50: 30,
      itlP50Ratio: 2,
      calmItlP99: 15,
      itlP99: 30,
      itlP99Ratio: 2,
      calmOutput: 75,
      output: 37.5,
      outputRatio: 0.5,
      calmSpread: expect.closeTo(66.67, 2),
    });
  });

  it("returns a sample for each requested resource and each failure", () => {
    expect(pageSamples(requests, [failed, { kind: "answered" }, failed])).toEqual([
      { request: "GET /", kind: "file", times: 1 },
      { request: "GET /metrics", kind: "call", times: 2 },
      { request: "GET /v1/models/sse", kind: "stream", times: 1 },
      { request: "GET /metrics", kind: "failed: HTTP 503", times: 2 },
    ]);
  });
});
