import { afterEach, expect, it, vi } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { environmentVariableOf } from "../../src/config/settings.js";
import { NUMA_VARIABLE } from "../../src/engine/native/numa.js";
import { startEngines } from "../../src/serve/start-engines.js";

afterEach(() => vi.unstubAllEnvs());

it("passes the NUMA strategy to engine processes, in the variable of the setting", () => {
  expect(NUMA_VARIABLE).toBe(environmentVariableOf("numa"));
  vi.stubEnv(NUMA_VARIABLE, "distribute");
  const start = (numa: string) => {
    const { config } = loadConfig({ flags: { numa, noModel: true }, environment: {} });
    startEngines(config).spareEngines.close();
    return process.env[NUMA_VARIABLE];
  };
  expect(start("off")).toBe("off");
  expect(start("isolate")).toBe("isolate");
});

it("rejects an unknown NUMA strategy", () => {
  expect(() => loadConfig({ flags: { numa: "mirror" }, environment: {} })).toThrow(
    '--numa: expected one of off, distribute, isolate, numactl, got "mirror"',
  );
});
