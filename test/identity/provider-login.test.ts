import { describe, expect, it } from "vitest";
import type { LoginGrant, LoginRequest } from "../../src/core/identity.js";
import { OidcProvider } from "../../src/identity/oidc-provider.js";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  ISSUER,
  type Misbehaviour,
  StandInProvider,
} from "../support/identity-provider.js";
import { rejection } from "../support/refusal.js";

const PAGE = "https://llm.test/";

async function prepare({ clientSecret }: { readonly clientSecret?: string } = {}) {
  const provider = await StandInProvider.create();
  const { login, verify } = new OidcProvider({
    issuer: ISSUER,
    audiences: ["llm", CLIENT_ID],
    nameClaim: "sub",
    client: { clientId: CLIENT_ID, clientSecret, scope: "openid email" },
    warn: () => undefined,
    fetch: provider.fetch,
  });
  if (login === undefined) throw new Error("expected a login");
  /** Follows the browser to the provider and back. */
  const visit = async ({ url }: LoginRequest): Promise<URLSearchParams> => {
    const { headers } = await provider.fetch(url, { redirect: "manual" });
    return new URL(headers.get("location") ?? "").searchParams;
  };
  const signIn = async (): Promise<Extract<LoginGrant, { type: "code" }>> => {
    const begun = await login.begin(PAGE);
    const { nonce, codeVerifier } = begun;
    const code = (await visit(begun)).get("code") ?? "";
    return { type: "code", code, codeVerifier, redirectUri: PAGE, nonce };
  };
  return { provider, login, verify, visit, signIn };
}

describe("a login", () => {
  it("sends the browser to the provider with a PKCE challenge, and values that never repeat", async () => {
    const { login, visit } = await prepare();
    const begun = await login.begin(PAGE);
    const { searchParams } = new URL(begun.url);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      tenant: "1",
      response_type: "code",
      client_id: CLIENT_ID,
      redirect_uri: PAGE,
      scope: "openid email",
      code_challenge_method: "S256",
      state: begun.state,
      nonce: begun.nonce,
    });
    expect(begun.url).not.toContain(begun.codeVerifier);
    expect((await visit(begun)).get("state")).toBe(begun.state);
    const again = await login.begin(PAGE);
    const values = [begun, again].flatMap(({ state, nonce, codeVerifier }) => [
      state,
      nonce,
      codeVerifier,
    ]);
    expect(new Set(values).size).toBe(6);
    for (const value of values) expect(value).toMatch(/^[\w-]{43}$/);
  });

  it.each([
    ["public", undefined],
    ["header", CLIENT_SECRET],
    ["body", CLIENT_SECRET],
  ] as const)(
    "of a %s client exchanges its code for a token of the user",
    async (client, clientSecret) => {
      const { provider, login, verify, signIn } = await prepare({
        ...(clientSecret && { clientSecret }),
      });
      provider.client = client;
      const { token, expiresAt, refreshToken } = await login.exchange(await signIn());
      expect((await verify(token)).name).toBe("oidc:alice");
      expect(Math.abs(expiresAt - Date.now() - 3_600_000)).toBeLessThan(60_000);
      expect(refreshToken).toBeUndefined();
    },
  );

  it("fails with the provider's reason if its code is used twice, or by another verifier", async () => {
    const { login, signIn } = await prepare();
    const grant = await signIn();
    await login.exchange(grant);
    for (const other of [grant, { ...(await signIn()), codeVerifier: grant.codeVerifier }]) {
      expect(await rejection(login.exchange(other))).toMatchObject({
        code: "invalid_request",
        message: "The provider refused the sign-in: invalid_grant: Code not valid.",
      });
    }
  });

  it("fails if the token was made for another login or another client", async () => {
    const { provider, login, signIn } = await prepare();
    provider.misbehaviour = "other-nonce";
    expect((await rejection(login.exchange(await signIn()))).message).toContain("nonce: expected");
    provider.misbehaviour = undefined;
    provider.user = { sub: "alice", aud: "llm" };
    expect((await rejection(login.exchange(await signIn()))).message).toContain("aud: expected");
  });

  it("is renewed by its refresh token, which works once", async () => {
    const { provider, login, verify, signIn } = await prepare();
    provider.refresh = "issued";
    const first = await login.exchange(await signIn());
    const grant = { type: "refresh", refreshToken: first.refreshToken ?? "" } as const;
    const second = await login.exchange(grant);
    expect((await verify(second.token)).name).toBe("oidc:alice");
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect((await rejection(login.exchange(grant))).code).toBe("invalid_request");
  });

  it.each<[Misbehaviour, code: string]>([
    ["down", "identity_unavailable"],
    ["slow", "identity_unavailable"],
    ["failing", "identity_unavailable"],
    ["huge", "identity_unavailable"],
    ["not-json", "invalid_request"],
    ["no-id-token", "invalid_request"],
  ])("fails with a provider that is %s: %s", async (misbehaviour, code) => {
    const { provider, login, signIn } = await prepare();
    const grant = await signIn();
    provider.misbehaviour = misbehaviour;
    expect((await rejection(login.exchange(grant))).code).toBe(code);
  });

  it("does not send the provider more than eight requests at once", async () => {
    const { login } = await prepare();
    await login.begin(PAGE);
    const grant = { type: "refresh", refreshToken: "unknown" } as const;
    const codes = await Promise.all(
      Array.from({ length: 20 }, async () => (await rejection(login.exchange(grant))).code),
    );
    expect(codes.filter((code) => code === "identity_unavailable")).toHaveLength(12);
    expect((await rejection(login.exchange(grant))).code).toBe("invalid_request");
  });
});
