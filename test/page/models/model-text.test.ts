import { expect, test } from "vitest";
import { beginDownload, updateDownload } from "../../../src/page/models/download.js";
import {
  describeDownload,
  describeState,
  formatShortCount,
} from "../../../src/page/models/model-text.js";

test.each([
  [{ value: "loaded" }, "loaded"],
  [{ value: "unloaded" }, "not loaded"],
  [{ value: "loading", progress: 0.4 }, "loading, 40 %"],
  [{ value: "unloaded", failed: true }, "could not be loaded"],
] as const)('the status %o is shown as "%s"', (status, text) => {
  expect(describeState(status)).toBe(text);
});

test.each([
  [8_030_261_312, "8.0 billion"],
  [70.6e9, "71 billion"],
  [6.3e6, "6.3 million"],
  [950, "950"],
])('%d parameters are shown as "%s"', (amount, text) => {
  expect(formatShortCount(amount)).toBe(text);
});

test("a download shows its progress, speed and remaining time", () => {
  const files = (done: number) => ({ m: { done, total: 4.7e9 } });
  const begun = beginDownload("m");
  expect(describeDownload(begun)).toBe("searching…");
  const first = updateDownload(begun, files(1.1e9), 0);
  expect(describeDownload(first)).toBe("1.1 GB of 4.7 GB");
  const second = updateDownload(first, files(1.2e9), 4000);
  expect(describeDownload(second)).toBe("1.2 GB of 4.7 GB, 25 MB/s, 2 min 20 s left");
  expect(describeDownload({ ...second, isCancelled: true })).toBe("stopping…");
});
