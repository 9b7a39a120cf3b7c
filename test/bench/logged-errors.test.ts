import { expect, test } from "vitest";
import { describeLoggedErrors } from "../../bench/servers/child-server.js";

const line = (level: number, msg: string, stack?: string) =>
  JSON.stringify({ level, msg, ...(stack && { err: { type: "Error", stack } }) });

test("describeLoggedErrors returns undefined for a log without errors", () => {
  const output = [line(30, "listening"), line(40, "slow"), "llama_decode: failed", "{", ""];
  expect(describeLoggedErrors(output.join("\n"))).toBeUndefined();
});

test("describeLoggedErrors lists distinct errors with their stacks", () => {
  const failed = line(50, "a generation failed", "Error: no such row\n    at sample");
  const output = [line(30, "listening"), failed, failed, line(60, "the daemon ends")].join("\n");
  expect(describeLoggedErrors(output)).toBe(
    "3 errors in its log, 2 of them distinct:\n" +
      "  a generation failed: Error: no such row\n    at sample\n" +
      "  the daemon ends",
  );
});
