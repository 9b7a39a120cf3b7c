import { describe, expect, it } from "vitest";
import { parseAccessRule } from "../../src/config/keys/read-access-rules.js";
import { type Claims, findRule, listValues } from "../../src/core/access-rules.js";

describe("values of a claim", () => {
  it.each<[claim: string, claims: Claims, values: readonly string[]]>([
    ["sub", { sub: "alice" }, ["alice"]],
    ["groups", { groups: ["staff", "ops"] }, ["staff", "ops"]],
    ["level", { level: 3 }, ["3"]],
    ["email_verified", { email_verified: true }, ["true"]],
    ["groups", { groups: ["a", { name: "b" }, null, ["c"]] }, ["a"]],
    ["realm_access.roles", { realm_access: { roles: ["admin"] } }, ["admin"]],
    ["https://example.com/roles", { "https://example.com/roles": ["a"] }, ["a"]],
    ["a.b", { "a.b": "exact", a: { b: "path" } }, ["exact"]],
    ["groups", {}, []],
    ["realm_access.roles", { realm_access: "roles" }, []],
    ["constructor.name", {}, []],
    ["toString", {}, []],
    ["length", {}, []],
  ])("%s of %j", (claim, claims, values) => {
    expect(listValues(claims, claim)).toEqual(values);
  });
});

describe("the rule of an identity", () => {
  const rules = [
    "sub=mallory deny",
    "groups=ops scopes=inference,admin",
    'groups="Domain Users" scopes=inference',
    "* scopes=todos",
  ].map((line) => parseAccessRule(line, "rules"));

  const outcomeOf = (claims: Claims, from = rules) => {
    const outcome = findRule(from, claims)?.outcome;
    return outcome?.type === "grant" ? outcome.grant.scopes.join() : outcome?.type;
  };

  it.each<[claims: Claims, outcome: string]>([
    [{ sub: "mallory", groups: ["ops"] }, "deny"],
    [{ sub: "alice", groups: ["staff", "ops"] }, "inference,admin"],
    [{ sub: "bob", groups: ["Domain Users"] }, "inference"],
    [{ sub: "carol", groups: ["Domain"] }, "todos"],
    [{ sub: "dave", groups: "ops" }, "inference,admin"],
    [{ sub: "Mallory" }, "todos"],
    [{}, "todos"],
  ])("is the first one that applies: %j", (claims, outcome) => {
    expect(outcomeOf(claims)).toBe(outcome);
  });

  it("is none if no rule applies", () => {
    expect(outcomeOf({ sub: "alice" }, rules.slice(0, 3))).toBeUndefined();
  });
});
