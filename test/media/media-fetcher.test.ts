import { MockAgent } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  createPublicLookup,
  MediaFetcher,
  type MediaFetchLimits,
} from "../../src/media/media-fetcher.js";

const FIELD = "messages.0.content.1.image_url.url";
const { signal } = new AbortController();

/** Fetcher and its hosts, none of which exists. */
function fetcher(limits: Partial<MediaFetchLimits> = {}) {
  const internet = new MockAgent();
  internet.disableNetConnect();
  onTestFinished(() => internet.close());
  const given = { hosts: ["a.example", "*.b.example"], maxBytes: 100, limitMs: 5000, ...limits };
  const media = new MediaFetcher(given, internet);
  const on = (origin: string, path = "/x.png") => internet.get(origin).intercept({ path });
  return { media, on, fetch: (url: string) => media.fetch(url, FIELD, signal) };
}

describe("a file from the internet", () => {
  test("is fetched from an allowed host", async () => {
    const { on, fetch } = fetcher();
    on("https://a.example").reply(200, "content");
    expect((await fetch("https://a.example/x.png")).toString()).toBe("content");
  });

  test("is fetched from a subdomain of an allowed domain", async () => {
    const { on, fetch } = fetcher();
    on("https://img.b.example").reply(200, "content");
    expect((await fetch("https://img.b.example/x.png")).toString()).toBe("content");
  });

  test("is fetched through redirects to allowed hosts", async () => {
    const { on, fetch } = fetcher();
    on("https://a.example").reply(302, "", { headers: { location: "https://c.b.example/y" } });
    on("https://c.b.example", "/y").reply(307, "", { headers: { location: "/z" } });
    on("https://c.b.example", "/z").reply(200, "content");
    expect((await fetch("https://a.example/x.png")).toString()).toBe("content");
  });

  test.each([
    ["invalid", "x.png", 'expected a URL, got "x.png"'],
    ["not encrypted", "http://a.example/x", 'expected an https or data URL, got "http:"'],
    ["a local file", "file:///etc/passwd", 'an https or data URL, got "file:"'],
    ["of another host", "https://c.example/x", "a host that this server may fetch from"],
    [
      "of an allowed wildcard domain itself",
      "https://b.example/x",
      "a host that this server may fetch from",
    ],
    ["of a host with a similar name", "https://xb.example/x", "may fetch from"],
    ["with a password", "https://u:p@a.example/x", "expected a URL without a user and password"],
  ])("is rejected if the URL is %s", async (_, url, reason) => {
    const { fetch } = fetcher();
    await expect(fetch(url)).rejects.toMatchObject({
      ...{ code: "invalid_request", param: FIELD },
      message: expect.stringContaining(reason),
    });
  });

  test.each(["127.0.0.1", "[::1]", "169.254.169.254", "0x7f.1", "2130706433", "[::ffff:10.0.0.1]"])(
    "is rejected at %s, for any allowed hosts",
    async (host) => {
      const { fetch } = fetcher({ hosts: ["*"] });
      await expect(fetch(`https://${host}/x`)).rejects.toThrow("expected a public address, got");
    },
  );

  test.each([
    ["another host", "https://c.example/", "a host that this server may fetch from"],
    ["an unencrypted URL", "http://a.example/", "expected an https or data URL"],
    ["a private address", "https://10.0.0.1/", "a host that this server may fetch from"],
    ["an invalid URL", "https://:x", "a redirect of a.example to nowhere"],
  ])("is rejected if a redirect leads to %s", async (_, location, reason) => {
    const { on, fetch } = fetcher();
    on("https://a.example").reply(302, "", { headers: { location } });
    await expect(fetch("https://a.example/x.png")).rejects.toThrow(reason);
  });

  test("is rejected after too many redirects", async () => {
    const { on, fetch } = fetcher();
    on("https://a.example")
      .reply(302, "", { headers: { location: "/x.png" } })
      .persist();
    await expect(fetch("https://a.example/x.png")).rejects.toThrow("at most 5 redirects, got more");
  });

  test.each([
    ["is too large", 200, "x".repeat(101), "a file of at most 100 bytes, got a larger one"],
    ["is not found", 404, "", "expected a file, got status 404 of a.example"],
  ])("is rejected if it %s", async (_, status, body, reason) => {
    const { on, fetch } = fetcher();
    on("https://a.example").reply(status, body);
    await expect(fetch("https://a.example/x.png")).rejects.toThrow(reason);
  });

  test("is rejected without details if its host cannot be reached", async () => {
    const { on, fetch } = fetcher();
    on("https://a.example").replyWithError(new Error("connect ECONNREFUSED 10.0.0.7:443"));
    const refusal = await fetch("https://a.example/x.png").catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "invalid_request", param: FIELD });
    expect(String(refusal)).not.toContain("10.0.0.7");
  });

  test("is aborted when the client disconnects or the time limit passes", async () => {
    const { media, on } = fetcher({ limitMs: 20 });
    on("https://a.example").reply(200, "late").delay(60_000).persist();
    const leaving = AbortSignal.abort(new Error("left"));
    await expect(media.fetch("https://a.example/x.png", FIELD, leaving)).rejects.toThrow("left");
    await expect(media.fetch("https://a.example/x.png", FIELD, signal)).rejects.toThrow(
      "expected a file within 0.02 s, got none",
    );
  });
});

describe("resolving a host name", () => {
  const lookup = (addresses: readonly string[], options: { readonly all?: boolean }) =>
    new Promise((resolve, reject) => {
      const answers = addresses.map((address) => ({
        address,
        family: address.includes(":") ? 6 : 4,
      }));
      createPublicLookup((_name, _options, callback) => callback(null, answers))(
        "host.example",
        options,
        (error, address) => (error ? reject(error) : resolve(address)),
      );
    });

  test("returns public addresses", async () => {
    const both = ["8.8.8.8", "2606:4700:4700::1111"];
    expect(await lookup(both, { all: true })).toMatchObject(both.map((address) => ({ address })));
    expect(await lookup(both, {})).toBe("8.8.8.8");
  });

  test.each([
    ["private", ["127.0.0.1"]],
    ["partly private", ["8.8.8.8", "10.0.0.1"]],
    ["missing", []],
  ])("fails if the addresses are %s", async (_, addresses) => {
    await expect(lookup(addresses, { all: true })).rejects.toThrow("an address that is not public");
  });
});
