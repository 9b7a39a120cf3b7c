import { createSecretKey } from "node:crypto";
import { exportSPKI, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { OidcProvider } from "../../src/identity/oidc-provider.js";
import { CLIENT_ID, ISSUER, StandInProvider } from "../support/identity-provider.js";
import { rejection } from "../support/refusal.js";

const NOW = Date.UTC(2026, 10, 29, 12);
const NOW_SECONDS = NOW / 1000;

async function prepare(options: { readonly nameClaim?: string } = {}) {
  const provider = await StandInProvider.create(ISSUER, () => NOW);
  const { verify } = new OidcProvider({
    issuer: ISSUER,
    audiences: ["llm", CLIENT_ID],
    nameClaim: options.nameClaim ?? "sub",
    warn: () => undefined,
    fetch: provider.fetch,
    now: () => 0,
    epochNow: () => NOW,
  });
  return { provider, verify };
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("a token", () => {
  it("names its user, with all of its claims", async () => {
    const { provider, verify } = await prepare();
    expect(await verify(await provider.sign({ sub: "auth0|1" }))).toEqual({
      name: "oidc:auth0%7C1",
      claims: {
        iss: ISSUER,
        aud: CLIENT_ID,
        iat: NOW_SECONDS,
        exp: NOW_SECONDS + 3600,
        sub: "auth0|1",
        groups: ["staff"],
      },
      validUntil: NOW + 5 * 60_000,
    });
  });

  it("is verified again after its expiry, if that is sooner than five minutes", async () => {
    const { provider, verify } = await prepare();
    const { validUntil } = await verify(await provider.sign({ exp: NOW_SECONDS + 10 }));
    expect(validUntil).toBe(NOW + 70_000);
  });

  it.each<[reason: string, claims: Readonly<Record<string, unknown>>]>([
    ["with one of several audiences", { aud: ["other", "llm"] }],
    ["that expired within the clock skew", { exp: NOW_SECONDS - 59 }],
    ["that expires in the distant future", { exp: 1e30 }],
    ["that becomes valid within the clock skew", { nbf: NOW_SECONDS + 59 }],
  ])("is accepted %s", async (_, claims) => {
    const { provider, verify } = await prepare();
    expect((await verify(await provider.sign(claims))).name).toBe("oidc:alice");
  });

  it.each<[claims: Readonly<Record<string, unknown>>, message: string]>([
    [{ exp: NOW_SECONDS - 61 }, "it expired at 2026-11-29T11:58:59.000Z"],
    [{ exp: undefined }, "exp: expected a value, got nothing"],
    [{ exp: "soon" }, "exp: expected another value"],
    [{ nbf: NOW_SECONDS + 61 }, "nbf: it is not valid before 2026-11-29T12:01:01.000Z"],
    [{ aud: "another" }, `aud: expected one of llm, ${CLIENT_ID}, got another audience`],
    [{ aud: undefined }, "aud: expected a value, got nothing"],
    [{ iss: "https://attacker.test" }, `iss: expected ${ISSUER}, got another issuer`],
    [{ iss: `${ISSUER}/` }, `iss: expected ${ISSUER}, got another issuer`],
    [{ sub: undefined }, "sub: expected a value, got nothing"],
    [{ sub: 7 }, "sub: expected a name of at most 256 characters, got another value"],
    [{ sub: "x".repeat(300) }, "sub: expected a name of at most 256 characters"],
  ])("is refused with %j", async (claims, message) => {
    const { provider, verify } = await prepare();
    const refused = await rejection(verify(await provider.sign(claims)));
    expect(refused.code).toBe("invalid_api_key");
    expect(refused.message).toContain(`Invalid token: ${message}`);
  });

  it("with alg none is refused, with and without a signature", async () => {
    const { provider, verify } = await prepare();
    const [, payload] = (await provider.sign()).split(".");
    for (const signature of ["", "AAAA"]) {
      for (const alg of ["none", "None", "NONE"]) {
        const token = `${encode({ alg, kid: provider.key.kid })}.${payload}.${signature}`;
        expect((await rejection(verify(token))).message).toContain("alg: expected one of RS256");
      }
    }
  });

  it("with the provider's public key as the secret of HS256 is refused", async () => {
    const { provider, verify } = await prepare();
    const secret = createSecretKey(Buffer.from(await exportSPKI(provider.key.publicKey)));
    const token = await new SignJWT({ sub: "alice" })
      .setProtectedHeader({ alg: "HS256", kid: provider.key.kid })
      .setIssuer(ISSUER)
      .setAudience("llm")
      .setExpirationTime(NOW_SECONDS + 60)
      .sign(secret);
    expect((await rejection(verify(token))).message).toContain("alg: expected one of RS256");
  });

  it("signed by another key under a known name is refused", async () => {
    const { provider, verify } = await prepare();
    const { key } = provider;
    await verify(await provider.sign());
    await provider.rotateKeys();
    const token = await provider.sign({}, { key: { ...provider.key, kid: key.kid } });
    expect((await rejection(verify(token))).message).toContain("the signature does not match");
  });

  it("whose payload was changed is refused", async () => {
    const { provider, verify } = await prepare();
    const [header, , signature] = (await provider.sign()).split(".");
    const other = (await provider.sign({ sub: "root" })).split(".")[1];
    const refused = await rejection(verify([header, other, signature].join(".")));
    expect(refused.message).toContain("the signature does not match");
  });

  it.each([
    "eyJ.a.b",
    `${encode({ alg: "ES256" })}.e30.`,
    `${encode({ alg: "ES256" })}.a.b`,
    `${encode({ alg: "ES256", kid: 7 })}.e30.AAAA`,
    `${encode({ alg: "ES256", crit: ["x"], x: 1 })}.e30.AAAA`,
    `${encode({ alg: "RSA-OAEP", enc: "A128GCM" })}.e30.AAAA`,
    `${encode({})}.e30.AAAA`,
    `${encode({ alg: "ES256" })}.${"A".repeat(100_000)}.AAAA`,
  ])("that is garbage is refused: %.40s", async (token) => {
    const { verify } = await prepare();
    expect((await rejection(verify(token))).code).toBe("invalid_api_key");
  });

  it("is named by another claim, which it must have", async () => {
    const { provider, verify } = await prepare({ nameClaim: "email" });
    const named = await verify(await provider.sign({ email: "a@b.test", email_verified: true }));
    expect(named.name).toBe("oidc:a@b.test");
    expect((await rejection(verify(await provider.sign()))).message).toContain(
      "email: expected a name of at most 256 characters, got nothing",
    );
    const unverified = await provider.sign({ email: "a@b.test", email_verified: false });
    expect((await rejection(verify(unverified))).message).toContain("email_verified");
  });
});
