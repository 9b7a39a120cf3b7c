import { expect, test } from "vitest";
import { nativeThreadsOf, poolEnvironment } from "../../../src/engine/native/native-threads.js";

test("an engine process has one native thread, or several", () => {
  expect(nativeThreadsOf(poolEnvironment("one"))).toBe("one");
  expect(Number(poolEnvironment("several").UV_THREADPOOL_SIZE)).toBeGreaterThan(0);
});

test("a process has Node.js's thread pool of several threads by default", () => {
  expect(nativeThreadsOf({})).toBe("several");
});
