import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";

const load = (flags: Record<string, string | string[]>, environment = {}) =>
  loadConfig({ flags, environment }).config;

describe("the hosts of --media-fetch", () => {
  test("are none by default", () => {
    expect(load({})).toMatchObject({ mediaFetch: [], maxMedia: 64, maxMediaFile: 20 });
  });

  test("are given by repeated flags or separated by commas", () => {
    const hosts = ["a.example", "*.b.example", "*"];
    expect(load({ mediaFetch: hosts }).mediaFetch).toEqual(hosts);
    const environment = { GGUFD_MEDIA_FETCH: hosts.join(",") };
    expect(load({}, environment).mediaFetch).toEqual(hosts);
  });

  test.each(["https://a.example", "a.example:443", "a.*.example", "**.example", ""])(
    "may not be %j",
    (host) => {
      expect(() => load({ mediaFetch: [host] })).toThrow(
        "--media-fetch: expected a host name without a port, *.example.com or *, got",
      );
    },
  );
});
