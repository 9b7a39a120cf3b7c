import { describe, expect, test } from "vitest";
import { parseAddressWithPort, parseListenAddress } from "../../src/config/listen-addresses.js";
import { loadConfig } from "../../src/config/load-config.js";

const hostOf = (...host: string[]) => loadConfig({ flags: { host }, environment: {} }).config.host;

describe("--host", () => {
  test.each([
    [["0.0.0.0"], ["0.0.0.0"]],
    [["127.0.0.1,::1"], ["127.0.0.1", "::1"]],
    [
      ["127.0.0.1", "unix:/run/ggufd.sock"],
      ["127.0.0.1", "unix:/run/ggufd.sock"],
    ],
    [["gpu.example"], ["gpu.example"]],
    [["[::1]"], ["[::1]"]],
    [["fe80::1%eth0"], ["fe80::1%eth0"]],
    [["::,0.0.0.0"], ["::", "0.0.0.0"]],
    [["::1,127.0.0.1,10.0.0.1"], ["::1", "127.0.0.1", "10.0.0.1"]],
    [["unix:a.sock,unix:b.sock"], ["unix:a.sock", "unix:b.sock"]],
    [[`unix:/${"a".repeat(106)}`], [`unix:/${"a".repeat(106)}`]],
  ])("accepts %j", (written, expected) => {
    expect(hostOf(...written)).toEqual(expected);
  });

  const form = "expected an address such as 127.0.0.1, a host name or unix:PATH";
  const long = "expected the path of a Unix socket to have at most 107 bytes, not 108";
  test.each([
    [[""], form],
    [["127.0.0.1,"], form],
    [["127.0.0.1:8080"], form],
    [["http://127.0.0.1"], form],
    [["a b"], form],
    [["unix:"], form],
    [["unix:/a\0b"], form],
    [[`unix:/${"a".repeat(107)}`], long],
    [[`unix:/${"ä".repeat(53)}a`], long],
    [["::1,::1"], "expected each address once"],
    [["::1", "[::1]"], "expected each address once"],
    [["unix:/a", "unix:/a"], "expected each address once"],
    [["0.0.0.0,127.0.0.1"], "expected distinct addresses, but another one includes 127.0.0.1"],
    [["10.0.0.1,::"], "expected distinct addresses, but another one includes 10.0.0.1"],
    [["::,::1"], "expected distinct addresses, but another one includes ::1"],
  ])("rejects %j", (written, reason) => {
    expect(() => hostOf(...written)).toThrow(`--host: ${reason}, got `);
  });

  test.each([
    ["::1", { kind: "tcp", host: "::1" }],
    ["[::1]", { kind: "tcp", host: "::1" }],
    ["localhost", { kind: "tcp", host: "localhost" }],
    ["unix:/run/a:b.sock", { kind: "unix", path: "/run/a:b.sock" }],
  ])("parses %s", (text, address) => {
    expect(parseListenAddress(text)).toEqual(address);
  });
});

const metricsListenOf = (...metricsListen: string[]) =>
  loadConfig({ flags: { metricsListen }, environment: {} }).config.metricsListen;

describe("--metrics-listen", () => {
  test.each([
    [["9090"], ["9090"]],
    [["0"], ["0"]],
    [["127.0.0.1:9090,[::1]:9090"], ["127.0.0.1:9090", "[::1]:9090"]],
    [
      ["gpu.example:9090", "unix:/run/metrics.sock"],
      ["gpu.example:9090", "unix:/run/metrics.sock"],
    ],
    [["0.0.0.0:9090,127.0.0.1:9091"], ["0.0.0.0:9090", "127.0.0.1:9091"]],
    [["0.0.0.0:9090,[::]:9090"], ["0.0.0.0:9090", "[::]:9090"]],
  ])("accepts %j", (written, expected) => {
    expect(metricsListenOf(...written)).toEqual(expected);
  });

  const form = "expected a port, an address with a port such as 127.0.0.1:9090, or unix:PATH";
  test.each([
    [[""], form],
    [["9090,"], form],
    [["127.0.0.1"], form],
    [[":9090"], form],
    [["::1:9090"], form],
    [["127.0.0.1:65536"], form],
    [["127.0.0.1:http"], form],
    [["127.0.0.1:-1"], form],
    [["http://127.0.0.1:9090"], form],
    [["a b:9090"], form],
    [["unix:"], form],
    [["9090,127.0.0.1:9090"], "expected each address once"],
    [["0.0.0.0:9090,9090"], "expected distinct addresses, but another one includes 127.0.0.1:9090"],
    [["[::]:9090,[::1]:9090"], "expected distinct addresses, but another one includes [::1]:9090"],
  ])("rejects %j", (written, reason) => {
    expect(() => metricsListenOf(...written)).toThrow(`--metrics-listen: ${reason}, got `);
  });

  test.each([
    ["9090", { kind: "tcp", host: "127.0.0.1", port: 9090 }],
    ["0.0.0.0:0", { kind: "tcp", host: "0.0.0.0", port: 0 }],
    ["[::1]:9090", { kind: "tcp", host: "::1", port: 9090 }],
    ["localhost:9090", { kind: "tcp", host: "localhost", port: 9090 }],
    ["unix:/run/a:1.sock", { kind: "unix", path: "/run/a:1.sock" }],
  ])("parses %s", (text, address) => {
    expect(parseAddressWithPort(text)).toEqual(address);
  });

  test("serves no metrics without a key by default", () => {
    expect(metricsListenOf()).toEqual([]);
  });
});
