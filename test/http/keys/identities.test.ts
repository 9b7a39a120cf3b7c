import { describe, expect, it } from "vitest";
import { parseAccessRule } from "../../../src/config/keys/read-access-rules.js";
import type { Claims } from "../../../src/core/access-rules.js";
import { GgufdError } from "../../../src/core/errors.js";
import { nameIdentity } from "../../../src/core/identity.js";
import { Identities, type IdentitiesOptions } from "../../../src/http/keys/identities.js";
import { KeyUsage } from "../../../src/http/keys/key-usage.js";
import { refusal, rejection } from "../../support/refusal.js";

const parse = (...lines: readonly string[]) => lines.map((line) => parseAccessRule(line, "rule"));

const STAFF = ["sub=mallory deny", "groups=ops scopes=inference,admin", "* scopes=inference"];

/** Identities whose tokens are their claims, and the number of verifications. */
function prepare(lines = STAFF, options: Partial<IdentitiesOptions> = {}) {
  const clock = { ms: 1000 };
  const verified: string[] = [];
  const identities = new Identities({
    rules: parse(...lines),
    verify: async (token) => {
      verified.push(token);
      const claims: Claims = JSON.parse(token);
      if (claims.sub === undefined) throw new GgufdError("invalid_api_key", "Invalid token.");
      const name = nameIdentity("token", String(claims.sub)) ?? "";
      return { name, claims, validUntil: clock.ms + 100 };
    },
    createUsage: (permissions) => new KeyUsage(permissions, () => clock.ms),
    epochNow: () => clock.ms,
    ...options,
  });
  const use = (claims: Claims) => identities.identifyToken(JSON.stringify(claims));
  return { clock, verified, identities, use };
}

describe("the user of a token", () => {
  it("has the permissions of the first rule that applies, and the name of the token", async () => {
    const { use } = prepare();
    const { key } = await use({ sub: "alice", groups: ["ops"] });
    expect(key).toMatchObject({ name: "oidc:alice", scopes: ["inference", "admin"] });
    expect(key).not.toHaveProperty("sha256");
    expect((await use({ sub: "bob" })).key.scopes).toEqual(["inference"]);
  });

  it("is verified once until the token must be verified again", async () => {
    const { clock, verified, use } = prepare();
    await use({ sub: "alice" });
    clock.ms += 99;
    await use({ sub: "alice" });
    expect(verified).toHaveLength(1);
    clock.ms += 1;
    await use({ sub: "alice" });
    expect(verified).toHaveLength(2);
  });

  it("is refused each time if the token is invalid", async () => {
    const { verified, use } = prepare();
    for (const _ of [1, 2]) expect((await rejection(use({}))).code).toBe("invalid_api_key");
    expect(verified).toHaveLength(2);
  });

  it.each([
    [STAFF, "mallory"],
    [["groups=ops scopes=inference"], "alice"],
  ])("is refused without a rule that grants anything: %j", async (lines, sub) => {
    const { use } = prepare(lines);
    expect(await rejection(use({ sub }))).toMatchObject({
      code: "permission_denied",
      message: `oidc:${sub} may not use this server: no access rule grants it anything.`,
    });
  });

  it("has one usage of limits, whatever tokens are presented", async () => {
    const { use } = prepare(["* scopes=inference requests-per-minute=2"]);
    for (const jti of [1, 2]) (await use({ sub: "alice", jti })).usage.admit("server");
    const { usage } = await use({ sub: "alice", jti: 3 });
    expect(refusal(() => usage.admit("server")).code).toBe("rate_limit_exceeded");
    (await use({ sub: "bob" })).usage.admit("server");
  });

  it("has the permissions of each token, in any order", async () => {
    const { use } = prepare();
    const scopesOf = async (groups: readonly string[]) =>
      (await use({ sub: "alice", groups })).key.scopes.join();
    for (const _ of [1, 2]) {
      expect(await scopesOf(["ops"])).toBe("inference,admin");
      expect(await scopesOf([])).toBe("inference");
    }
  });

  it("has the permissions of each of two tokens that are presented at once", async () => {
    const { use } = prepare();
    const tokens = [["ops"], [], ["ops"]].map((groups) => ({ sub: "alice", groups }));
    for (const _ of [1, 2]) {
      const keys = (await Promise.all(tokens.map(use))).map(({ key }) => key.scopes.join());
      expect(keys).toEqual(["inference,admin", "inference", "inference,admin"]);
    }
  });

  it("is found by name, for batches", async () => {
    const { identities, use } = prepare();
    expect(identities.findByName("oidc:alice")).toBeUndefined();
    const { usage } = await use({ sub: "alice" });
    expect(identities.findByName("oidc:alice")).toBe(usage);
  });
});

describe("new access rules", () => {
  it("apply to known users and tokens at once", async () => {
    const { identities, use } = prepare();
    const { usage: alice } = await use({ sub: "alice" });
    await use({ sub: "bob" });
    identities.replaceRules(parse("sub=bob deny", "* scopes=todos"));
    expect(alice.key.scopes).toEqual(["todos"]);
    expect(identities.findByName("oidc:bob")).toBeUndefined();
    expect((await rejection(use({ sub: "bob" }))).code).toBe("permission_denied");
    expect((await use({ sub: "alice" })).usage).toBe(alice);
  });

  it("keep the usage of limits", async () => {
    const { identities, use } = prepare(["* scopes=todos requests-per-minute=1"]);
    (await use({ sub: "alice" })).usage.admit("server");
    identities.replaceRules(parse("* scopes=inference requests-per-minute=1"));
    const { usage } = await use({ sub: "alice" });
    expect(refusal(() => usage.admit("server")).code).toBe("rate_limit_exceeded");
  });
});

describe("users and tokens", () => {
  it("are limited in number; the least recently used ones are forgotten", async () => {
    const { identities, verified, use } = prepare(STAFF, { limits: { users: 2, tokens: 2 } });
    await use({ sub: "a" });
    await use({ sub: "b" });
    await use({ sub: "a" });
    await use({ sub: "c" });
    expect(identities.size).toBe(2);
    expect(identities.findByName("oidc:b")).toBeUndefined();
    expect(identities.findByName("oidc:a")).toBeDefined();
    await use({ sub: "a" });
    expect(verified).toHaveLength(3);
    await use({ sub: "b" });
    expect(verified).toHaveLength(4);
  });

  it.each([
    ["eyJhbGciOiJFUzI1NiJ9.e30.AAAA", true],
    ["eyJhbGciOiJub25lIn0.e30.", true],
    ["ggufd-a-key", false],
    ["a.b.c", false],
    ["eyJ.e30", false],
    ["eyJ.e30.A.B.C", false],
  ])("are recognised by their form: %s", (presented, isToken) => {
    expect(prepare().identities.acceptsToken(presented)).toBe(isToken);
    const withoutProvider = prepare(STAFF, { verify: undefined }).identities;
    expect(withoutProvider.acceptsToken(presented)).toBe(false);
  });
});

describe("the user that a proxy names", () => {
  it("has the permissions of the user's groups, as they are with each request", () => {
    const { identities } = prepare();
    const scopesOf = (user: string, ...groups: readonly string[]) =>
      identities.identifyUser({ user, groups }).key.scopes.join();
    expect(scopesOf("alice", "ops")).toBe("inference,admin");
    expect(scopesOf("alice")).toBe("inference");
    expect(refusal(() => scopesOf("mallory", "ops")).code).toBe("permission_denied");
  });

  it("is another one than the provider's user of this name", async () => {
    const { identities, use } = prepare();
    const proxied = identities.identifyUser({ user: "alice", groups: [] });
    expect(proxied.key.name).toBe("proxy:alice");
    expect((await use({ sub: "alice" })).usage).not.toBe(proxied.usage);
    expect(identities.identifyUser({ user: "alice", groups: [] }).usage).toBe(proxied.usage);
  });
});
