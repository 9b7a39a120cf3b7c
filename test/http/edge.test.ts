import { describe, expect, it } from "vitest";
import type { Caller } from "../../src/core/caller.js";
import type { RequestBeginning, RequestObserver } from "../../src/core/request-observer.js";
import { buildCaller } from "../../src/http/caller.js";
import { buildLoadingApp } from "../support/test-app.js";

/** Client of a request, as seen by the observers and the scheduler. */
async function clientOf(
  trustProxy: readonly string[],
  forwardedFor: string,
  remoteAddress: string,
) {
  const beginnings: RequestBeginning[] = [];
  const callers: Caller[] = [];
  const observer: RequestObserver = {
    begin: (beginning) => {
      beginnings.push(beginning);
      return { observe: () => undefined, end: () => undefined };
    },
  };
  const { app } = buildLoadingApp({
    edge: { host: ["0.0.0.0"], trustProxy: [...trustProxy] },
    observers: [observer],
  });
  app.get("/caller", async (request, reply) => {
    callers.push(buildCaller(request, reply));
    return {};
  });
  await app.inject({
    url: "/caller",
    remoteAddress,
    headers: { "x-forwarded-for": forwardedFor },
  });
  expect(callers.map(({ name }) => name)).toEqual([`address:${beginnings[0]?.clientAddress}`]);
  return beginnings[0]?.clientAddress;
}

describe("the client address of a request", () => {
  it.each([
    ["is the peer address if no proxy is trusted", [], "1.2.3.4", "10.0.0.10", "10.0.0.10"],
    [
      "is the address reported by a trusted proxy",
      ["10.0.0.10"],
      "1.2.3.4",
      "10.0.0.10",
      "1.2.3.4",
    ],
    [
      "is the address reported by a proxy of a trusted network",
      ["10.0.0.0/8"],
      "1.2.3.4",
      "10.9.9.9",
      "1.2.3.4",
    ],
    [
      "is the peer address if the peer is not a trusted proxy",
      ["10.0.0.10"],
      "1.2.3.4",
      "10.0.0.11",
      "10.0.0.11",
    ],
    [
      "is the last address that is not a trusted proxy, as clients can forge the others",
      ["10.0.0.0/8"],
      "9.9.9.9, 1.2.3.4, 10.0.0.2",
      "10.0.0.10",
      "1.2.3.4",
    ],
    ["may be an IPv6 address", ["fd00::/8"], "2001:db8::7", "fd00::1", "2001:db8::7"],
    [
      "is found for a proxy with an IPv4-mapped IPv6 address",
      ["10.0.0.10"],
      "1.2.3.4",
      "::ffff:10.0.0.10",
      "1.2.3.4",
    ],
  ])("%s", async (_, trustProxy, forwardedFor, remoteAddress, expected) => {
    expect(await clientOf(trustProxy, forwardedFor, remoteAddress)).toBe(expected);
  });
});
