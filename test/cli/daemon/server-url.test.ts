import { expect, it, test } from "vitest";
import { configuredUrlOf, serverUrlOf } from "../../../src/cli/daemon/server-url.js";

test.each([
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["localhost:8080", "http://localhost:8080"],
  ["[::1]:8080", "http://[::1]:8080"],
  ["HTTPS://llm.example/", "HTTPS://llm.example"],
  ["https://example/llm//", "https://example/llm"],
])("%s is %s", (text, expected) => {
  expect(serverUrlOf(text)).toBe(expected);
});

it.each(["http://[", "", "ftp://host"])("cannot be %j", (text) => {
  expect(() => serverUrlOf(text)).toThrow(
    `expected the URL of a running ggufd, got ${JSON.stringify(text)}`,
  );
});

test.each([
  ["127.0.0.1", "http://127.0.0.1:8080"],
  ["0.0.0.0", "http://127.0.0.1:8080"],
  ["::", "http://[::1]:8080"],
  ["fe80::1", "http://[fe80::1]:8080"],
  ["gpu.example", "http://gpu.example:8080"],
])("a daemon that listens on %s is at %s", (host, expected) => {
  expect(configuredUrlOf({ host, port: 8080 })).toBe(expected);
});
