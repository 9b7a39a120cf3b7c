import { describe, expect, it, onTestFinished } from "vitest";
import { OidcProvider } from "../../../src/identity/oidc-provider.js";
import { CLIENT_ID, ISSUER, StandInProvider } from "../../support/identity-provider.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp, type TestAppOptions } from "../../support/test-app.js";

const PAGE = "https://llm.test/";

function appWith(options: TestAppOptions) {
  const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: ["ok"] })), options);
  onTestFinished(() => app.close());
  const post = (path: string, payload: object) =>
    app.inject({ method: "POST", url: `/v1/login/${path}`, payload });
  return { app, post };
}

async function prepare() {
  const provider = await StandInProvider.create();
  const { login, verify } = new OidcProvider({
    issuer: ISSUER,
    audiences: [CLIENT_ID],
    nameClaim: "sub",
    client: { clientId: CLIENT_ID, scope: "openid" },
    warn: () => undefined,
    fetch: provider.fetch,
  });
  const rules = ["groups=staff scopes=inference", "sub=eve deny"];
  const { app, post } = appWith({ identities: { rules, login, verify } });
  const permissionsOf = (token: string) =>
    app.inject({ url: "/v1/key", headers: { authorization: `Bearer ${token}` } });
  const signIn = async () => {
    const { json } = await post("authorization", { redirect_uri: PAGE });
    const { url, state, nonce, code_verifier } = json();
    const { headers } = await provider.fetch(url, { redirect: "manual" });
    const { searchParams } = new URL(headers.get("location") ?? "");
    expect(searchParams.get("state")).toBe(state);
    const code = searchParams.get("code");
    return post("token", { code, code_verifier, nonce, redirect_uri: PAGE });
  };
  return { provider, app, post, permissionsOf, signIn };
}

describe("the login of a server with an identity provider", () => {
  it("names the provider without a key", async () => {
    const { app } = await prepare();
    expect((await app.inject("/v1/login")).json()).toEqual({
      object: "login",
      provider: "login.test",
    });
    expect((await app.inject("/v1/key")).statusCode).toBe(401);
  });

  it("results in a token with the permissions of the user", async () => {
    const { signIn, permissionsOf } = await prepare();
    const { token, refresh_token, expires_at } = (await signIn()).json();
    expect(refresh_token).toBeNull();
    expect(Number.isInteger(expires_at)).toBe(true);
    expect((await permissionsOf(token)).json()).toEqual({
      object: "key",
      name: "oidc:alice",
      scopes: ["inference"],
      access: "full",
    });
  });

  it("is renewed", async () => {
    const { provider, post, signIn, permissionsOf } = await prepare();
    provider.refresh = "issued";
    const { refresh_token } = (await signIn()).json();
    const renewed = await post("refresh", { refresh_token });
    expect((await permissionsOf(renewed.json().token)).statusCode).toBe(200);
    expect((await post("refresh", { refresh_token })).statusCode).toBe(400);
  });

  it("of a user without permissions succeeds, but the token permits nothing", async () => {
    const { provider, signIn, permissionsOf } = await prepare();
    provider.user = { sub: "eve" };
    const refused = await permissionsOf((await signIn()).json().token);
    expect(refused.statusCode).toBe(403);
    expect(refused.json().error.message).toBe(
      "oidc:eve may not use this server: no access rule grants it anything.",
    );
  });

  it("is answered 503 with Retry-After while the provider is down", async () => {
    const { provider, app, post } = await prepare();
    provider.misbehaviour = "down";
    const refused = await post("authorization", { redirect_uri: PAGE });
    expect(refused.statusCode).toBe(503);
    expect(refused.headers["retry-after"]).toBe("5");
    expect(refused.json().error.code).toBe("identity_unavailable");
    const headers = { authorization: `Bearer ${await provider.sign()}` };
    expect((await app.inject({ url: "/v1/key", headers })).statusCode).toBe(503);
  });

  it.each([
    ["authorization", {}, "redirect_uri"],
    ["authorization", { redirect_uri: "javascript:alert(1)" }, "redirect_uri"],
    ["authorization", { redirect_uri: "https://llm.test/#token" }, "redirect_uri"],
    ["token", { code: "a", code_verifier: "b", redirect_uri: PAGE }, "nonce"],
    ["token", { code: "", code_verifier: "b", redirect_uri: PAGE, nonce: "c" }, "code"],
    ["refresh", { refresh_token: "x".repeat(20_000) }, "refresh_token"],
  ])("refuses an invalid request to %s: %j", async (path, payload, param) => {
    const { post } = await prepare();
    const refused = await post(path, payload);
    expect(refused.statusCode).toBe(400);
    expect(refused.json().error.param).toBe(param);
  });
});

describe("the login of a server without an identity provider", () => {
  it("does not exist", async () => {
    const { app, post } = appWith({ apiKeys: ["a"] });
    expect((await app.inject("/v1/login")).json()).toEqual({ object: "login", provider: null });
    for (const [path, payload] of [
      ["authorization", { redirect_uri: PAGE }],
      ["refresh", { refresh_token: "a" }],
    ] as const) {
      expect((await post(path, payload)).statusCode).toBe(501);
    }
  });
});
