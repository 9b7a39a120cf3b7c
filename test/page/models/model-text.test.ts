import { expect, test } from "vitest";
import { beginDownload, progressDownload } from "../../../src/page/models/download.js";
import { downloadText, shortCount, stateText } from "../../../src/page/models/model-text.js";

test.each([
  [{ value: "loaded" }, "loaded"],
  [{ value: "unloaded" }, "not loaded"],
  [{ value: "loading", progress: 0.4 }, "loading, 40 %"],
  [{ value: "unloaded", failed: true }, "could not be loaded"],
] as const)('the status %o is shown as "%s"', (status, text) => {
  expect(stateText(status)).toBe(text);
});

test.each([
  [8_030_261_312, "8.0 billion"],
  [70.6e9, "71 billion"],
  [6.3e6, "6.3 million"],
  [950, "950"],
])('%d parameters are shown as "%s"', (amount, text) => {
  expect(shortCount(amount)).toBe(text);
});

test("a download shows its progress, speed and remaining time", () => {
  const files = (done: number) => ({ m: { done, total: 4.7e9 } });
  const begun = beginDownload("m");
  expect(downloadText(begun)).toBe("searching…");
  const first = progressDownload(begun, files(1.1e9), 0);
  expect(downloadText(first)).toBe("1.1 GB of 4.7 GB");
  const second = progressDownload(first, files(1.2e9), 4000);
  expect(downloadText(second)).toBe("1.2 GB of 4.7 GB, 25 MB/s, 2 min 20 s left");
  expect(downloadText({ ...second, isCancelled: true })).toBe("stopping…");
});
