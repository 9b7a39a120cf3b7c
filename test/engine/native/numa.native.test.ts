import { afterEach, expect, it, vi } from "vitest";
import { loadBackend } from "../../../src/engine/native/llama-backend.js";
import { NUMA_VARIABLE, readNumaStrategy } from "../../../src/engine/native/numa.js";
import { generate, openEngine } from "../../support/generate.js";
import { tinyModel } from "../../support/random-models.js";

afterEach(() => vi.unstubAllEnvs());

it.each([
  [undefined, undefined],
  ["off", undefined],
  ["mirror", undefined],
  ["distribute", "distribute"],
  ["isolate", "isolate"],
  ["numactl", "numactl"],
])("the NUMA strategy of the variable %j is %j", (text, strategy) => {
  expect(readNumaStrategy({ [NUMA_VARIABLE]: text })).toBe(strategy);
});

it("llama.cpp is loaded with the NUMA strategy, and generates", async () => {
  vi.stubEnv(NUMA_VARIABLE, "distribute");
  const llama = await loadBackend({ gpu: "off", log: () => undefined });
  expect(llama.numa).toBe("distribute");
  const engine = await openEngine(tinyModel());
  expect((await generate(engine, "Hi")).text).not.toBe("");
  await engine.close();
});
