import { expect, test } from "vitest";
import { beginDownload, updateDownload } from "../../../src/page/models/download.js";
import {
  buildFacts,
  describeDownload,
  describeLastUse,
  describeState,
  formatShortCount,
  listCapabilities,
} from "../../../src/page/models/model-text.js";
import { detailsWith, listedModel } from "./some-models.js";

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

test("a model that is not loaded is described by its details", () => {
  const model = listedModel("a", { details: detailsWith({ last_used_at: 1000 }) });
  expect(buildFacts(model, 1000 + 7200)).toEqual([
    ["Size", "8.5 GB"],
    ["Quantization", "Q8_0"],
    ["Parameters", "8.0 billion"],
    ["Architecture", "llama"],
    ["Training context", "8,192 tokens"],
    ["Memory needed", "about 9.8 GB (estimate)"],
    ["Last used", "2 hours ago"],
    ["Source", "ggufd’s folder"],
  ]);
});

test("a loaded model is described by its context and its memory", () => {
  const model = listedModel("a", {
    status: { value: "loaded" },
    max_model_len: 4096,
    details: detailsWith({ memory: { bytes: 9.1e9, is_estimate: false } }),
  });
  const facts = Object.fromEntries(buildFacts(model, 0));
  expect(facts).toMatchObject({ Context: "4,096 tokens", Memory: "9.1 GB" });
  expect(Object.keys(facts)).not.toContain("Memory needed");
});

test.each([
  [null, "not since the server started"],
  [1000, "just now"],
  [1005, "just now"],
  [940, "1 minute ago"],
  [1000 - 3 * 86_400, "3 days ago"],
])("a model last used at %s was used %s", (usedAt, text) => {
  expect(describeLastUse(usedAt, 1000)).toBe(text);
});

test.each([
  [{}, []],
  [{ capabilities: ["completion", "vision"] }, ["text generation", "image input"]],
  [{ details: detailsWith({ kind: "embedding" }) }, ["embeddings"]],
  [{ details: detailsWith({ kind: null }) }, []],
  [
    { details: detailsWith({ has_projector: true }) },
    ["text generation", "tools", "structured output", "image or audio input"],
  ],
] as const)("the capabilities of %o are %o", (facts, expected) => {
  expect(listCapabilities(listedModel("a", facts as object))).toEqual(expected);
});
