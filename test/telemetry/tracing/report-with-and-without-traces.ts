/**
 * Prints whether OpenTelemetry was loaded by reports without traces, and by reports with them. A
 * separate process, because the tests of a worker share their loaded modules.
 */
import { createRequire } from "node:module";
import { pino } from "pino";
import { openRequestReports } from "../../../src/telemetry/request-reports.js";

function isTelemetryLoaded(): boolean {
  const { cache } = createRequire(import.meta.url);
  return Object.keys(cache).some((path) => path.includes("/node_modules/@opentelemetry/"));
}

const options = {
  accessLog: "off",
  environment: {},
  version: "1.2.3",
  logger: pino({ level: "silent" }),
};

await (await openRequestReports(options)).close();
const without = isTelemetryLoaded();
const traced = { ...options, otlpEndpoint: "http://127.0.0.1:4318" };
await (await openRequestReports(traced)).close();
process.stdout.write(JSON.stringify({ without, with: isTelemetryLoaded() }));
