import { describe, expect, it } from "vitest";
import { parseAccessRule, readAccessRules } from "../../../src/config/keys/read-access-rules.js";
import { loadConfig } from "../../../src/config/load-config.js";
import { StartupError } from "../../../src/core/startup-error.js";
import { configFolder } from "../../support/config-file.js";

const { fileWith, folderPath, missingFile } = configFolder();

const read = (accessRules: string) =>
  readAccessRules(
    loadConfig({
      flags: { accessRules, oidcIssuer: "https://login.test", oidcAudience: ["a"] },
      environment: {},
    }).config,
  );

describe("the access rules", () => {
  it("are none if there is no file", () => {
    expect(readAccessRules(loadConfig({ flags: {}, environment: {} }).config)).toEqual([]);
  });

  it("are read from a file in its order, without comments and empty lines", () => {
    const path = fileWith("rules", "# ops\r\n\ngroups=ops scopes=admin\n  * scopes=inference  \n");
    expect(read(path).map(({ condition }) => condition)).toEqual([
      { claim: "groups", value: "ops" },
      undefined,
    ]);
  });

  it("have the attributes of the key file, with its defaults except for the scopes", () => {
    const line = "groups=staff scopes=inference,todos requests-per-minute=60 weight=0.5";
    expect(parseAccessRule(line, "rules")).toEqual({
      condition: { claim: "groups", value: "staff" },
      outcome: {
        type: "grant",
        grant: {
          scopes: ["inference", "todos"],
          access: "full",
          weight: 0.5,
          limits: { requestsPerMinute: 60 },
        },
      },
    });
  });

  it.each([
    ["sub=auth0|12 deny", { claim: "sub", value: "auth0|12" }],
    ['groups="Domain Users" deny', { claim: "groups", value: "Domain Users" }],
    ['groups="say \\"hi\\"" deny', { claim: "groups", value: 'say "hi"' }],
    ["https://a.test/roles=x=y deny", { claim: "https://a.test/roles", value: "x=y" }],
  ])("select by a claim: %s", (line, condition) => {
    expect(parseAccessRule(line, "rules")).toEqual({ condition, outcome: { type: "deny" } });
  });

  it.each([
    ["staff scopes=inference", "line 1: expected CLAIM=VALUE or * first"],
    ["groups= scopes=inference", "line 1: expected CLAIM=VALUE or * first"],
    ['groups="a scopes=inference', "line 1: expected CLAIM=VALUE or * first"],
    ['groups="\\x" deny', "line 1: groups: expected a string as in JSON"],
    ["groups=a", "line 1: expected deny, or scopes=LIST"],
    ["groups=a weight=2", "line 1: expected deny, or scopes=LIST"],
    ["* deny weight=2", "line 1: field 2: expected an attribute as NAME=VALUE"],
    ["* scopes=everything", "line 1: scopes: expected one or more of"],
    ["* scopes=admin name=root", "line 1: name: expected no name"],
    ["* scopes=admin\n*", "line 2: expected deny, or scopes=LIST"],
    ["# nothing\n", "contains no rule"],
  ])("are rejected: %j", (content, message) => {
    const path = fileWith("invalid", content);
    expect(() => read(path)).toThrow(StartupError);
    expect(() => read(path)).toThrow(`--access-rules ${path}: ${message}`);
  });

  it.each([missingFile, folderPath])("cannot be read from %s", (path) => {
    expect(() => read(path)).toThrow(`--access-rules ${path}: cannot be read: `);
  });
});
