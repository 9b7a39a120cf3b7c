import { expect, it, test } from "vitest";
import {
  parseServerUrl,
  selectConfiguredUrl,
  toEndpoint,
} from "../../../src/cli/daemon/server-url.js";

test.each([
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["localhost:8080", "http://localhost:8080"],
  ["[::1]:8080", "http://[::1]:8080"],
  ["HTTPS://llm.example/", "HTTPS://llm.example"],
  ["https://example/llm//", "https://example/llm"],
  ["unix:/run/ggufd.sock", "unix:/run/ggufd.sock"],
  ["unix:ggufd.sock", "unix:ggufd.sock"],
])("%s is parsed as %s", (text, expected) => {
  expect(parseServerUrl(text)).toBe(expected);
});

it.each(["http://[", "", "ftp://host"])("%j is rejected", (text) => {
  expect(() => parseServerUrl(text)).toThrow(
    `expected the URL of a running ggufd, got ${JSON.stringify(text)}`,
  );
});

it.each([
  ["http://127.0.0.1:99999", "99999"],
  ["localhost:80a0/llm", "80a0"],
  ["[::1]:65536", "65536"],
])("the port of %s is rejected", (text, port) => {
  expect(() => parseServerUrl(text)).toThrow(
    `expected a port from 1 to 65535, got "${port}" in "${text}"`,
  );
});

it("unix: without a path is rejected", () => {
  expect(() => parseServerUrl("unix:")).toThrow('expected unix:PATH, got "unix:"');
});

test.each([
  ["127.0.0.1", "http://127.0.0.1:8080"],
  ["0.0.0.0", "http://127.0.0.1:8080"],
  ["::", "http://[::1]:8080"],
  ["fe80::1", "http://[fe80::1]:8080"],
  ["gpu.example", "http://gpu.example:8080"],
  ["unix:/run/ggufd.sock", "unix:/run/ggufd.sock"],
  ["unix:/run/ggufd.sock,::1,127.0.0.1", "http://[::1]:8080"],
])("a daemon that listens on %s is reached at %s", (host, expected) => {
  expect(
    selectConfiguredUrl({
      host: host.split(","),
      port: 8080,
      tlsCert: undefined,
      apiPrefix: undefined,
    }),
  ).toBe(expected);
});

test.each([
  ["127.0.0.1", "http://127.0.0.1:8080/llm"],
  ["unix:/run/ggufd.sock", "unix:/run/ggufd.sock:/llm"],
])("a daemon under a prefix that listens on %s is reached at %s", (host, expected) => {
  const config = { host: [host], port: 8080, tlsCert: undefined, apiPrefix: "/llm" };
  expect(selectConfiguredUrl(config)).toBe(expected);
});

test.each([
  ["0.0.0.0", "https://127.0.0.1:8080"],
  ["::,unix:/run/ggufd.sock", "unix:/run/ggufd.sock"],
])("a daemon that listens on %s with TLS is reached at %s", (host, expected) => {
  expect(
    selectConfiguredUrl({
      host: host.split(","),
      port: 8080,
      tlsCert: "a.pem",
      apiPrefix: undefined,
    }),
  ).toBe(expected);
});

test("requests to a Unix socket have the host localhost", () => {
  expect(toEndpoint("unix:/run/ggufd.sock")).toEqual({
    base: "http://localhost",
    connection: { connect: { socketPath: "/run/ggufd.sock" } },
  });
  expect(toEndpoint("unix:/run/ggufd.sock:/llm")).toEqual({
    base: "http://localhost/llm",
    connection: { connect: { socketPath: "/run/ggufd.sock" } },
  });
  expect(toEndpoint("https://host/prefix")).toEqual({
    base: "https://host/prefix",
    connection: {},
  });
});
