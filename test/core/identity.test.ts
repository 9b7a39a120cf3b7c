import { describe, expect, it } from "vitest";
import { isIdentityName, nameIdentity } from "../../src/core/identity.js";

describe("the name of an identity", () => {
  it.each([
    ["alice", "oidc:alice"],
    ["alice@example.com", "oidc:alice@example.com"],
    ["auth0|123", "oidc:auth0%7C123"],
    ["a%7Cb", "oidc:a%257Cb"],
    ["José Ångström", "oidc:Jos%C3%A9%20%C3%85ngstr%C3%B6m"],
    ["oidc:alice", "oidc:oidc%3Aalice"],
    ['"\n', "oidc:%22%0A"],
  ])("encodes %j", (user, name) => {
    expect(nameIdentity("token", user)).toBe(name);
    expect(isIdentityName(name)).toBe(true);
  });

  it("begins with its origin, so that users of a proxy and of a provider have different data", () => {
    expect(nameIdentity("header", "alice")).toBe("proxy:alice");
  });

  it.each(["", "x".repeat(257), "é".repeat(200), "\ud800"])("does not exist for %j", (user) => {
    expect(nameIdentity("token", user)).toBeUndefined();
  });

  it.each(["alice", "key-12345678", "oidc", "proxy"])("is none that a key can have: %s", (name) => {
    expect(isIdentityName(name)).toBe(false);
  });
});
