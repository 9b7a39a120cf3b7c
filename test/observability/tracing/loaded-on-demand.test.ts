import { createRequire } from "node:module";
import { pino } from "pino";
import { expect, it } from "vitest";
import { openRequestReports } from "../../../src/observability/request-reports.js";

/** Modules of OpenTelemetry that this process has loaded. */
function loadedModules(): readonly string[] {
  const { cache } = createRequire(import.meta.url);
  return Object.keys(cache).filter((path) => path.includes("/node_modules/@opentelemetry/"));
}

it("OpenTelemetry is loaded only where traces are sent", async () => {
  const options = {
    accessLog: "off",
    environment: {},
    version: "1.2.3",
    logger: pino({ level: "silent" }),
  };
  const without = await openRequestReports(options);
  await without.close();
  expect(loadedModules()).toEqual([]);
  const otlpEndpoint = "http://127.0.0.1:4318";
  const withTraces = await openRequestReports({ ...options, otlpEndpoint });
  await withTraces.close();
  expect(loadedModules()).not.toEqual([]);
});
