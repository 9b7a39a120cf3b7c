import { describe, expect, it } from "vitest";
import { OidcProvider } from "../../src/identity/oidc-provider.js";
import { eventually } from "../support/eventually.js";
import {
  CLIENT_ID,
  ISSUER,
  type Misbehaviour,
  StandInProvider,
} from "../support/identity-provider.js";
import { rejection } from "../support/refusal.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

async function prepare() {
  const provider = await StandInProvider.create();
  const clock = { ms: 0 };
  const warnings: string[] = [];
  const oidc = new OidcProvider({
    issuer: ISSUER,
    audiences: [CLIENT_ID],
    nameClaim: "sub",
    warn: (reason) => warnings.push(reason),
    fetch: provider.fetch,
    now: () => clock.ms,
  });
  const { verify } = oidc;
  const codeOf = async (token: string) => (await rejection(verify(token))).code;
  return { provider, clock, warnings, oidc, verify, codeOf };
}

describe("the keys of a provider", () => {
  it("are fetched once for many tokens", async () => {
    const { provider, verify } = await prepare();
    const tokens = await Promise.all([1, 2, 3].map((n) => provider.sign({ sub: `u${n}` })));
    await Promise.all(tokens.map(verify));
    for (const path of ["/.well-known/openid-configuration", "/keys"]) {
      expect(provider.countOf(path)).toBe(1);
    }
  });

  it("are fetched again for a token with a new key, at most every 30 seconds", async () => {
    const { provider, clock, verify, codeOf } = await prepare();
    await verify(await provider.sign());
    await provider.rotateKeys();
    const token = await provider.sign();
    expect(await codeOf(token)).toBe("invalid_api_key");
    clock.ms = MINUTE_MS / 2;
    expect((await verify(token)).name).toBe("oidc:alice");
    expect(provider.countOf("/keys")).toBe(2);
  });

  it("are refreshed in the background, and a removed key is not accepted any more", async () => {
    const { provider, clock, verify, codeOf } = await prepare();
    const token = await provider.sign();
    await verify(token);
    await provider.rotateKeys();
    clock.ms = 11 * MINUTE_MS;
    // The known key verifies at once; the refresh replaces it.
    expect((await verify(token)).name).toBe("oidc:alice");
    expect(provider.countOf("/keys")).toBe(2);
    await eventually(async () => {
      expect((await verify(await provider.sign())).name).toBe("oidc:alice");
    });
    expect(await codeOf(token)).toBe("invalid_api_key");
  });

  it("are not requested for each of many tokens with unknown keys", async () => {
    const { provider, clock, verify, codeOf } = await prepare();
    await verify(await provider.sign());
    for (let count = 0; count < 50; count++) {
      clock.ms += MINUTE_MS / 50;
      const token = await provider.sign({}, { key: { ...provider.key, kid: `k${count}` } });
      expect(await codeOf(token)).toBe("invalid_api_key");
    }
    expect(provider.countOf("/keys")).toBeLessThanOrEqual(3);
  });
});

const failures: readonly Misbehaviour[] = [
  ...(["down", "slow", "failing", "not-json", "huge", "redirecting"] as const),
];

describe.each(failures)("a provider that is %s", (misbehaviour) => {
  it("makes its tokens unavailable, not invalid, and is asked once in 30 seconds", async () => {
    const { provider, clock, warnings, verify } = await prepare();
    const token = await provider.sign();
    provider.misbehaviour = misbehaviour;
    for (let count = 0; count < 20; count++) {
      const refused = await rejection(verify(token));
      expect(refused).toMatchObject({ code: "identity_unavailable", retryAfterSeconds: 5 });
    }
    expect(provider.countOf("/.well-known/openid-configuration")).toBe(1);
    expect(warnings).toHaveLength(1);
    provider.misbehaviour = undefined;
    clock.ms = 29_999;
    expect((await rejection(verify(token))).code).toBe("identity_unavailable");
    clock.ms = 30_000;
    expect((await verify(token)).name).toBe("oidc:alice");
  });

  it("does not affect tokens with known keys for a day", async () => {
    const { provider, clock, verify, codeOf } = await prepare();
    const token = await provider.sign();
    await verify(token);
    provider.misbehaviour = misbehaviour;
    for (const ms of [11 * MINUTE_MS, 2 * HOUR_MS, 23 * HOUR_MS]) {
      clock.ms = ms;
      expect((await verify(token)).name).toBe("oidc:alice");
      // Lets the refresh in the background fail before the clock changes.
      await new Promise(setImmediate);
    }
    clock.ms = 25 * HOUR_MS;
    expect(await codeOf(token)).toBe("identity_unavailable");
    provider.misbehaviour = undefined;
    clock.ms = 26 * HOUR_MS;
    expect((await verify(token)).name).toBe("oidc:alice");
  });
});

describe("the metadata of a provider", () => {
  it.each<[Misbehaviour, reason: string]>([
    ["other-issuer", "issuer: expected https://login.test"],
    ["plain-endpoints", "jwks_uri: expected a URL with https:"],
  ])("are refused with %s", async (misbehaviour, reason) => {
    const { provider, warnings, codeOf } = await prepare();
    provider.misbehaviour = misbehaviour;
    expect(await codeOf(await provider.sign())).toBe("identity_unavailable");
    expect(warnings.join()).toContain(reason);
    expect(provider.countOf("/keys")).toBe(0);
  });

  it("are read before the first token, and a failure does not end the start", async () => {
    const { provider, warnings, oidc } = await prepare();
    provider.misbehaviour = "down";
    await oidc.prepare();
    expect(warnings).toEqual(["https://login.test/.well-known/openid-configuration: fetch failed"]);
  });
});
