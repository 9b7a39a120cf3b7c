import { expect, test } from "vitest";
import { beginDownload, updateDownload } from "../../../src/page/models/download.js";
import {
  describeFit,
  describeQuantization,
  describeRepository,
  describeShare,
  toStoredName,
} from "../../../src/page/models/hub-text.js";

const repository = {
  ...{ id: "a/b", downloads: 123_456, likes: 1, license: null, is_gated: false, task: null },
  ...{ architecture: null, n_params: null, n_ctx_train: null, quantizations: [] },
};
const quantization = {
  ...{ model: "hf:a/b:Q4_K_M", quantization: "Q4_K_M", size: 4.7e9, has_projector: false },
  ...{ estimated_memory: 5.4e9, fits: true },
};

test("a repository is described by what the hub states", () => {
  expect(describeRepository(repository)).toBe("123 thousand downloads");
  const stated = { n_params: 4e9, task: "image-text-to-text", license: "mit", is_gated: true };
  expect(describeRepository({ ...repository, ...stated })).toBe(
    "4.0 billion parameters, 123 thousand downloads, image text to text, license: mit, gated: the server needs a token with access",
  );
});

test("a quantisation is described with its size, and its memory as an estimate", () => {
  expect(describeQuantization(quantization)).toBe("Q4_K_M, 4.7 GB");
  expect(describeQuantization({ ...quantization, has_projector: true })).toBe(
    "Q4_K_M, 4.7 GB, accepts images or audio",
  );
  const server = { memory_budget: 5e9 };
  expect(describeFit(quantization, server)).toBe("fits: about 5.4 GB of memory");
  expect(describeFit({ ...quantization, fits: false }, server)).toBe(
    "probably too large: about 5.4 GB of memory, this server has 5.0 GB",
  );
});

test("a downloaded model has its name without the prefix", () => {
  expect(toStoredName("hf:a/b:Q4_K_M")).toBe("a/b:Q4_K_M");
});

test("a download shows its completed share once it is known", () => {
  const begun = beginDownload("hf:a/b");
  expect(describeShare(begun)).toBe("downloading");
  const files = { "b.gguf": { done: 25, total: 100 } };
  expect(describeShare(updateDownload(begun, files, 0))).toBe("downloading, 25 %");
});
