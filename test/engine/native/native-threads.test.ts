import { expect, test } from "vitest";
import { nativeThreadsOf, poolEnvironment } from "../../../src/engine/native/native-threads.js";

test("an engine process has one native thread or several, as configured", () => {
  expect(nativeThreadsOf(poolEnvironment("one"))).toBe("one");
  expect(Number(poolEnvironment("several").UV_THREADPOOL_SIZE)).toBeGreaterThan(0);
});

test("a process has several native threads by default", () => {
  expect(nativeThreadsOf({})).toBe("several");
});
