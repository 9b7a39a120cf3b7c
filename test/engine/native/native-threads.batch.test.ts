import { expect, test } from "vitest";
import { chooseBatchThreads } from "../../../src/engine/native/native-threads.js";

const parts = (...lengths: readonly number[]) =>
  lengths.map((length) => ({ tokens: new Array<number>(length).fill(0) }));

test.each<[string, readonly number[], "decode" | "prefill"]>([
  ["one token", [1], "decode"],
  ["many sequences that decode", new Array(64).fill(1), "decode"],
  ["a short draft", [9], "decode"],
  ["drafts of many sequences", new Array(16).fill(2), "decode"],
  ["a prompt", [64], "prefill"],
  ["a prompt and sequences that decode", [1, 1, 65, 1], "prefill"],
  ["the last tokens of a prompt", [5], "decode"],
])("a batch with %s uses the threads of its phase: $1 tokens per part", (_, lengths, expected) => {
  expect(chooseBatchThreads(parts(...lengths), { decode: 2, prefill: 8 })).toBe(
    { decode: 2, prefill: 8 }[expected],
  );
});
