import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";

const oidc = { oidcIssuer: "https://login.test", oidcAudience: ["llm"], accessRules: "rules" };
const proxy = { trustedHeader: "X-Forwarded-User", corsOrigin: ["none"], accessRules: "rules" };
const load = (flags: Readonly<Record<string, unknown>>) =>
  loadConfig({ flags, environment: {} }).config;

describe("the settings of sign-in", () => {
  it.each([
    [oidc],
    [{ ...oidc, oidcAudience: undefined, oidcClientId: "page" }],
    [{ ...oidc, oidcClientId: "page", oidcClientSecret: "hush" }],
    [{ ...oidc, oidcIssuer: "http://127.0.0.1:8081/realms/a" }],
    [proxy],
    [{ ...proxy, trustedGroupsHeader: "X-Forwarded-Groups", corsOrigin: ["https://llm.test"] }],
    [{ ...oidc, ...proxy }],
  ])("are accepted: %j", (flags) => {
    expect(() => load(flags)).not.toThrow();
  });

  it("name headers in lower case, as requests have them", () => {
    expect(load(proxy).trustedHeader).toBe("x-forwarded-user");
  });

  it.each([
    [{ ...oidc, accessRules: undefined }, "--oidc-issuer: requires --access-rules"],
    [
      { ...oidc, oidcAudience: undefined },
      "--oidc-issuer: requires --oidc-audience or --oidc-client-id",
    ],
    [{ oidcClientId: "page" }, "--oidc-client-id: requires --oidc-issuer"],
    [{ oidcAudience: ["a"] }, "--oidc-audience: requires --oidc-issuer"],
    [{ ...oidc, oidcClientSecret: "hush" }, "--oidc-client-secret: requires --oidc-client-id"],
    [{ ...proxy, accessRules: undefined }, "--trusted-header: requires --access-rules"],
    [{ ...proxy, corsOrigin: undefined }, "--trusted-header: requires --cors-origin"],
    [{ ...proxy, corsOrigin: ["*"] }, "--trusted-header: requires --cors-origin"],
    [{ trustedGroupsHeader: "X-Groups" }, "--trusted-groups-header: requires --trusted-header"],
    [{ accessRules: "rules" }, "--access-rules: requires --oidc-issuer or --trusted-header"],
    [{ ...oidc, oidcIssuer: "http://login.test" }, "--oidc-issuer: expected an https URL"],
    [{ ...oidc, oidcIssuer: "https://login.test?a" }, "--oidc-issuer: expected an https URL"],
    [{ ...oidc, oidcIssuer: "login.test" }, "--oidc-issuer: expected an https URL"],
    [{ ...proxy, trustedHeader: "X User" }, "--trusted-header: expected the name of a header"],
    [{ ...proxy, trustedHeader: "Origin" }, "--trusted-header: expected the name of a header"],
  ])("are rejected: %j", (flags, message) => {
    expect(() => load(flags)).toThrow(message);
  });

  it("never print the secret of the client", () => {
    expect(() => load({ ...oidc, oidcClientSecret: "" })).toThrow(
      "--oidc-client-secret: not a valid key",
    );
  });
});
