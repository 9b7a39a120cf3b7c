import { expect, test } from "vitest";
import { testFiltersOf } from "./test-filter.js";

const tests = [
  "test/main.test.ts",
  "test/http/edge.test.ts",
  "test/http/edge.origins.test.ts",
  "test/queue/fair-queue.test.ts",
];
const sources = [
  ...["src/http/edge.ts", "src/http/vary.ts", "src/queue/waiting.ts", "src/queue/caller-key.ts"],
  ...["src/http/keys/caller-key.ts", "src/queue/fair-queue.ts"],
];

test.each([
  ["test/http/edge.test.ts", "test/http/edge.test.ts"],
  ["src/http/edge.ts", "test/http/edge."],
  ["./src/http/edge.ts", "test/http/edge."],
  ["src/http/route.ts", "test/http/"],
  ["src/http", "test/http/"],
  ["src/http/", "test/http/"],
  ["src/main.ts", "test/main."],
  ["src/version.ts", "test/"],
  ["bench/goodput/lognormal.ts", "test/bench/goodput/"],
  ["models/gguf", "test/models/gguf/"],
  ["edge", "edge"],
])("the argument %s selects the tests %s", (asked, filter) => {
  expect(testFiltersOf(asked, { tests, sources })).toEqual([filter]);
});

test.each([
  ["of test files", "fair-queue", ["fair-queue"]],
  ["of a test folder", "queue", ["queue"]],
  ["of a folder outside src", "models", ["test/models/"]],
  ["of a source file without a test file of the same name", "vary", ["test/http/"]],
  ["of a source file, with its extension", "vary.ts", ["test/http/"]],
  ["of two source files", "caller-key", ["test/queue/", "test/http/keys/"]],
  ["that is unknown", "unheard-of", ["unheard-of"]],
])("an argument with the name %s, %s, selects the tests %j", (_, asked, filters) => {
  expect(testFiltersOf(asked, { tests, sources })).toEqual(filters);
});
