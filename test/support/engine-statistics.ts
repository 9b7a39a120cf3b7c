import type { EngineStatistics } from "../../src/core/engine-statistics.js";

const histogram = { bounds: [1, 2], counts: [3, 4], count: 9, sum: 20 };

/** Statistics of which every number is different. */
export const engineStatistics: EngineStatistics = {
  stepSeconds: { bounds: [0.01, 0.1], counts: [5, 2], count: 8, sum: 1.5 },
  stepGenerations: histogram,
  stepTokens: histogram,
  prefillTokens: 1001,
  decodeTokens: 1002,
  drafts: {
    prediction: { proposed: 21, accepted: 20 },
    lookup: { proposed: 31, accepted: 30 },
    model: { proposed: 41, accepted: 40 },
  },
  promptTokens: 2000,
  cachedTokens: { kv: 901, ram: 62, disk: 33 },
  evictions: { kv: 11, ram: 12, disk: 13 },
  storedBytes: { ram: 5000, disk: 6000 },
  suspensions: 7,
  cells: { busy: 250, cached: 500, total: 1000 },
  residentBytes: 123_456_789,
};
