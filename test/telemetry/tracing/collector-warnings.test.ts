import { pino } from "pino";
import { expect, it } from "vitest";
import { createCollectorWarner } from "../../../src/telemetry/tracing/open-tracing.js";

function loggedWarnings() {
  const lines: string[] = [];
  const logger = pino({ level: "warn", base: null }, { write: (line) => lines.push(line) });
  let nowMs = 5;
  const warn = createCollectorWarner(logger, () => nowMs);
  return {
    warn,
    advance: (ms: number) => {
      nowMs += ms;
    },
    reasons: () => lines.map((line) => JSON.parse(line).reason),
  };
}

it("logs at most one collector error per minute", () => {
  const { warn, advance, reasons } = loggedWarnings();
  warn("first");
  advance(59_999);
  warn("second");
  advance(1);
  warn("third");
  expect(reasons()).toEqual(["first", "third"]);
});

it("logs the message of a JSON error from the collector", () => {
  const { warn, reasons } = loggedWarnings();
  warn(JSON.stringify({ stack: "Error: at …", message: "connect ECONNREFUSED", name: "Error" }));
  expect(reasons()).toEqual(["connect ECONNREFUSED"]);
});

it("logs other JSON from the collector unchanged", () => {
  const { warn, advance, reasons } = loggedWarnings();
  for (const text of ["null", "[1]", "{}"]) {
    warn(text);
    advance(60_000);
  }
  expect(reasons()).toEqual(["null", "[1]", "{}"]);
});
