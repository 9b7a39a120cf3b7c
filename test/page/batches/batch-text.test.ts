import { describe, expect, it } from "vitest";
import { exampleBatch } from "../../../src/api/batches/examples.js";
import { FILE_KEY, RUN_KEY } from "../../../src/cli/batch/batch-client.js";
import {
  buildDownloadName,
  buildFacts,
  computeShare,
  describeCounts,
  describeStatus,
  nameOf,
} from "../../../src/page/batches/batch-text.js";

const NO_LINES = { total: 0, completed: 0, failed: 0 };

const named = {
  ...exampleBatch,
  metadata: { [FILE_KEY]: "questions.jsonl", run: "1", [RUN_KEY]: "2" },
};

describe("the texts about a batch", () => {
  it("name it by its file, or else by its id", () => {
    expect(nameOf(named)).toBe("questions.jsonl");
    expect(nameOf({ ...named, metadata: null })).toBe("batch_77d0");
    expect(buildDownloadName(named, "output")).toBe("questions_output.jsonl");
    expect(buildDownloadName(exampleBatch, "errors")).toBe("batch_77d0_errors.jsonl");
  });

  it.each([
    [{}, "in progress, 40 %"],
    [{ request_counts: NO_LINES }, "in progress"],
    [{ status: "completed" }, "completed"],
    [{ status: "validating", request_counts: NO_LINES }, "validating"],
  ] as const)("describe the status of %j", (fields, status) => {
    expect(describeStatus({ ...exampleBatch, ...fields })).toBe(status);
  });

  it("count answered and failed lines", () => {
    const request_counts = { total: 1000, completed: 410, failed: 3 };
    expect(describeCounts({ ...exampleBatch, request_counts })).toBe(
      "410 of 1,000 answered, 3 failed",
    );
    expect(describeCounts(exampleBatch)).toBe("40 of 100 answered");
    expect(computeShare({ ...exampleBatch, request_counts })).toBe(0.413);
    expect(computeShare({ ...exampleBatch, request_counts: NO_LINES })).toBeUndefined();
  });

  it("list the properties, with the duration at the end", () => {
    const formatTime = (seconds: number) => `at ${seconds}`;
    expect(buildFacts(named, formatTime)).toEqual([
      ["Model", "ggufd-mini"],
      ["Endpoint", "/v1/chat/completions"],
      ["Created", "at 1767225600"],
      ["Expires", "at 1767312000"],
      ["Id", "batch_77d0"],
      ["run", "1"],
    ]);
    const ended = { ...exampleBatch, model: null, metadata: null, cancelled_at: 1767225701 };
    expect(buildFacts(ended, formatTime)).toEqual([
      ["Endpoint", "/v1/chat/completions"],
      ["Created", "at 1767225600"],
      ["Ended", "at 1767225701"],
      ["Duration", "1 min 40 s"],
    ]);
  });
});
