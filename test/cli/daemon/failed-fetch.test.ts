import { expect, test } from "vitest";
import { reasonOfFailedFetch } from "../../../src/cli/daemon/failed-fetch.js";

const failed = (cause: unknown) => new TypeError("fetch failed", { cause });

test.each([
  [failed(new Error("connect ECONNREFUSED 127.0.0.1:1")), "connect ECONNREFUSED 127.0.0.1:1"],
  [failed(Object.assign(new AggregateError([]), { code: "ECONNREFUSED" })), "ECONNREFUSED"],
  [failed(undefined), "fetch failed"],
  ["gone", "gone"],
])("%j has the reason %s", (error, reason) => {
  expect(reasonOfFailedFetch(error)).toBe(reason);
});

test("a port that Node.js refuses to connect to is explained", async () => {
  const error: unknown = await fetch("http://127.0.0.1:6000").catch((one: unknown) => one);
  expect(reasonOfFailedFetch(error)).toMatch(/^Node\.js connects to no port of another protocol/);
});
