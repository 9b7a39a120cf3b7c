import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { parseAllowedOrigins } from "../../src/config/setting-fields.js";
import { buildEdgeSettings } from "../../src/serve/app.js";

const load = (flags: Readonly<Record<string, unknown>>, environment = {}) =>
  loadConfig({ flags, environment }).config;

describe("--allowed-host", () => {
  test.each([
    "llm.example.com",
    "LLM",
    "a_b",
    "xn--bcher-kva.example",
    "10.0.0.1",
    "fd00::1",
    "[fd00::1]",
    "a.",
  ])("accepts %s", (host) => {
    expect(load({ allowedHost: [host] }).allowedHost).toEqual([host]);
  });

  test.each([
    "",
    "llm.example.com:8080",
    "http://llm.example.com",
    "*.example.com",
    "a b",
    "a..b",
    "-a",
    "[fd00",
  ])("rejects %j", (host) => {
    expect(() => load({ allowedHost: [host] })).toThrow(
      /^--allowed-host: expected a host name or address without a port, e\.g\. llm\.example\.com, got /,
    );
  });
});

describe("--api-prefix", () => {
  test.each(["/llm", "/a/b.c", "/v1"])("accepts %s", (path) => {
    expect(load({ apiPrefix: path }).apiPrefix).toBe(path);
  });

  test.each(["llm", "/", "/llm/", "//llm", "/a b", "/a?b", "/..", "/a/./b", "/%41"])(
    "rejects %j",
    (path) => {
      expect(() => load({ apiPrefix: path })).toThrow(
        `--api-prefix: expected a path that begins with / and does not end with it, such as /llm, got ${JSON.stringify(path)}`,
      );
    },
  );
});

describe("--trust-proxy", () => {
  test.each(["10.0.0.10", "unix", "10.0.0.0/8", "0.0.0.0/1", "::1", "fd00::/8", "fd00::1/128"])(
    "accepts %s",
    (address) => {
      expect(load({ trustProxy: [address] }).trustProxy).toEqual([address]);
    },
  );

  test.each([
    "",
    "proxy",
    "10.0.0",
    "10.0.0.0/0",
    "10.0.0.0/33",
    "10.0.0.0/255.0.0.0",
    "10.0.0.0/8/8",
    "10.0.0.0/",
    "fd00::/129",
    "fe80::1%eth0",
    "loopback",
    "true",
  ])("rejects %j", (address) => {
    expect(() => load({ trustProxy: [address] })).toThrow(
      /^--trust-proxy: expected an address, a network or unix, e\.g\. 10\.0\.0\.10 or 10\.0\.0\.0\/8, got /,
    );
  });
});

describe("--cors-origin", () => {
  test.each([
    "*",
    "none",
    "localhost",
    "https://example.com",
    "http://localhost:3000",
    "http://[::1]:3000",
    "app://obsidian.md",
    "chrome-extension://abcdef",
  ])("accepts %s", (origin) => {
    expect(load({ corsOrigin: [origin] }).corsOrigin).toEqual([origin]);
  });

  test.each([
    "",
    "null",
    "example.com",
    "https://example.com/",
    "https://EXAMPLE.com",
    "https://example.com:443",
    "https://*.example.com",
    "https://a b",
    "constructor",
  ])("rejects %j", (origin) => {
    expect(() => load({ corsOrigin: [origin] })).toThrow(
      /^--cors-origin: expected \*, none, localhost or origins such as https:\/\/example\.com, got /,
    );
  });

  test("accepts * and none only as single values", () => {
    for (const word of ["*", "none"]) {
      expect(() => load({ corsOrigin: [word, "https://example.com"] })).toThrow(
        "--cors-origin: expected * or none as the only value",
      );
    }
  });

  test.each([
    [["*"], "any"],
    [["none"], []],
    [
      ["https://a.example", "https://b.example"],
      ["https://a.example", "https://b.example"],
    ],
  ])("given %j allows %j", (list, expected) => {
    expect(parseAllowedOrigins(list)).toEqual(expected);
  });
});

test("lists of hosts, proxies and origins are read from the environment, separated by commas", () => {
  const environment = {
    GGUFD_ALLOWED_HOST: "a.example,b.example",
    GGUFD_TRUST_PROXY: "10.0.0.1,10.0.0.2",
    GGUFD_CORS_ORIGIN: "https://a.example,https://b.example",
  };
  expect(load({}, environment)).toMatchObject({
    allowedHost: ["a.example", "b.example"],
    trustProxy: ["10.0.0.1", "10.0.0.2"],
    corsOrigin: ["https://a.example", "https://b.example"],
  });
});

test("the body limit is larger if models accept images, unless it is set", () => {
  expect(buildEdgeSettings(load({}), "media").maxBodyBytes).toBe(32 * 2 ** 20);
  expect(buildEdgeSettings(load({ maxBody: "8" }), "media").maxBodyBytes).toBe(8 * 2 ** 20);
});

test("the network limits follow the settings and their defaults", () => {
  expect(buildEdgeSettings(load({}))).toEqual({
    hosts: { type: "listed", names: new Set(), addresses: "loopback" },
    origins: "any",
    proxies: [],
    connections: 16_384,
    connectionsPerAddress: 4096,
    answerTimeoutSeconds: 0,
    writeTimeoutMs: 30_000,
    maxBodyBytes: 4 * 2 ** 20,
    maxFileBytes: 20 * 2 ** 20,
    maxUploadBytes: 512 * 2 ** 20,
  });
  const flags = {
    host: "0.0.0.0",
    allowedHost: ["llm.example.com"],
    corsOrigin: ["none"],
    trustProxy: ["10.0.0.10"],
    maxConnections: "20",
    maxConnectionsPerAddress: "10",
    requestTimeout: "600",
    writeTimeout: "5",
    maxBody: "1",
  };
  expect(buildEdgeSettings(load(flags))).toEqual({
    hosts: { type: "listed", names: new Set(["llm.example.com"]), addresses: "any" },
    origins: [],
    proxies: ["10.0.0.10"],
    connections: 20,
    connectionsPerAddress: 10,
    answerTimeoutSeconds: 600,
    writeTimeoutMs: 5000,
    maxBodyBytes: 2 ** 20,
    maxFileBytes: 20 * 2 ** 20,
    maxUploadBytes: 512 * 2 ** 20,
  });
});
