import { expect, test } from "vitest";
import {
  buildPoolEnvironment,
  readNativeThreads,
} from "../../../src/engine/native/native-threads.js";

test("an engine process has one native thread or several, as configured", () => {
  expect(readNativeThreads(buildPoolEnvironment("one"))).toBe("one");
  expect(Number(buildPoolEnvironment("several").UV_THREADPOOL_SIZE)).toBeGreaterThan(0);
});

test("a process has several native threads by default", () => {
  expect(readNativeThreads({})).toBe("several");
});
