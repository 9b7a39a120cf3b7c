import { expect, test } from "vitest";
import { testFilterOf } from "./test-filter.js";

const tests = ["test/main.test.ts", "test/http/edge.test.ts", "test/http/edge.origins.test.ts"];

test.each([
  ["test/http/edge.test.ts", "test/http/edge.test.ts"],
  ["src/http/edge.ts", "test/http/edge."],
  ["./src/http/edge.ts", "test/http/edge."],
  ["src/http/vary.ts", "test/http/"],
  ["src/http", "test/http/"],
  ["src/http/", "test/http/"],
  ["src/main.ts", "test/main."],
  ["src/version.ts", "test/"],
  ["bench/goodput/lognormal.ts", "test/bench/goodput/"],
  ["models/gguf", "test/models/gguf/"],
  ["edge", "edge"],
])("%s is tested by %s", (asked, filter) => {
  expect(testFilterOf(asked, tests)).toBe(filter);
});
