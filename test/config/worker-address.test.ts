import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { formatWorkerAddress, parseWorkerListenAddress } from "../../src/config/worker-address.js";

const load = (rpc: readonly string[]) => loadConfig({ flags: { rpc }, environment: {} }).config.rpc;

describe("the workers of --rpc", () => {
  test.each([
    [["10.0.0.2:50052"], ["10.0.0.2:50052"]],
    [["10.0.0.2:50052,gpu-box:1"], ["10.0.0.2:50052", "gpu-box:1"]],
    [
      ["a:1", "b.example.com:65535"],
      ["a:1", "b.example.com:65535"],
    ],
    [["gpu-box"], ["gpu-box:50052"]],
  ])("are addresses and ports: %j", (given, expected) => {
    expect(load(given)).toEqual(expected);
  });

  test.each([
    [[""], "--rpc: expected HOST:PORT"],
    [["10.0.0.2:0"], "--rpc: expected HOST:PORT"],
    [["10.0.0.2:65536"], "--rpc: expected HOST:PORT"],
    [["10.0.0.2:x"], "--rpc: expected HOST:PORT"],
    [["[::1]:50052"], "--rpc: expected HOST:PORT with an IPv4 address"],
    [["tcp://10.0.0.2:1"], "--rpc: expected HOST:PORT"],
    [["a:1,a:1"], "--rpc: expected each worker once"],
    [["a,a:50052"], "--rpc: expected each worker once"],
    [Array.from({ length: 17 }, (_, index) => `a:${index + 1}`), "--rpc: expected at most 16"],
  ])("are rejected with the expected form: %j", (given, reason) => {
    expect(() => load(given)).toThrow(reason);
  });
});

describe("an address that a worker listens on", () => {
  test.each([
    ["127.0.0.1:50052", { host: "127.0.0.1", port: 50_052 }],
    ["0.0.0.0", { host: "0.0.0.0", port: 50_052 }],
    ["localhost:0", { host: "localhost", port: 0 }],
    ["[::1]:7", { host: "::1", port: 7 }],
    ["[fd00::1]", { host: "fd00::1", port: 50_052 }],
    ["::1", undefined],
    ["gpu-box:1", undefined],
    [":50052", undefined],
    ["", undefined],
    ["127.0.0.1:65536", undefined],
    ["127.0.0.1:1:2", undefined],
  ])("is parsed: %s", (text, expected) => {
    expect(parseWorkerListenAddress(text)).toEqual(expected);
  });

  test.each(["127.0.0.1:50052", "[::1]:7"])("is formatted as it is written: %s", (text) => {
    const address = parseWorkerListenAddress(text);
    expect(address && formatWorkerAddress(address)).toBe(text);
  });
});
