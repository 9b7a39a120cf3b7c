import { expect, test } from "vitest";
import { computeStateIdentity, type StateOrigin } from "../../../src/engine/cache/state-files.js";

const origin: StateOrigin = {
  versions: ["0.1.0", "node-llama-cpp 3.22.1", "prebuilt"],
  model: "00ff",
  kvCacheTypes: { keys: "f16", values: "f16" },
  attention: "flash",
  layout: "split",
  streams: 4,
  contextSize: 4096,
  changes: {},
};

test("states of the same origin have the same identity, which is a valid folder name", () => {
  expect(computeStateIdentity({ ...origin })).toBe(computeStateIdentity(origin));
  expect(computeStateIdentity(origin)).toMatch(/^[0-9a-f]{24}-f16-flash-split$/);
});

test.each<Partial<StateOrigin>>([
  { versions: ["0.1.1", "node-llama-cpp 3.22.1", "prebuilt"] },
  { versions: ["0.1.0", "node-llama-cpp 3.22.2", "prebuilt"] },
  { versions: ["0.1.0", "node-llama-cpp 3.22.1", "local"] },
  { model: "00fe" },
  { kvCacheTypes: { keys: "q8_0", values: "f16" } },
  { kvCacheTypes: { keys: "f16", values: "q8_0" } },
  { changes: { rope: { freqScale: 0.5 } } },
  { attention: "plain" },
  { layout: "unified" },
  { streams: 1 },
  { contextSize: 8192 },
  { contextSize: undefined },
])("states have another identity with %o", (other) => {
  expect(computeStateIdentity({ ...origin, ...other })).not.toBe(computeStateIdentity(origin));
});
