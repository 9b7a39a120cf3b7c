import { describe, expect, test } from "vitest";
import { parseKeyLine } from "../../../src/config/keys/key-line.js";
import { StartupError } from "../../../src/core/startup-error.js";

const parse = (line: string) => parseKeyLine(line, "keys: line 3");

test("a line contains the key's name, scopes and limits", () => {
  const line =
    "hush name=alice scopes=inference,todos access=read-only requests-per-minute=60 tokens-per-minute=100000 concurrent=4 weight=0.5";
  expect(parse(line)).toEqual({
    sha256: expect.stringMatching(/^[\da-f]{64}$/),
    name: "alice",
    scopes: ["inference", "todos"],
    access: "read-only",
    limits: { requestsPerMinute: 60, tokensPerMinute: 100_000, concurrentRequests: 4 },
    weight: 0.5,
  });
});

test.each(["a", "Alice", "team-1", "a.b@c_d", "x".repeat(64)])(
  "the key name %j is accepted",
  (name) => {
    expect(parse(`hush name=${name}`).name).toBe(name);
  },
);

describe("an invalid line of the key file is rejected with its position, and without the key:", () => {
  const expectedName = "expected 1 to 64 letters, digits, -, _, . or @, a letter or digit first";
  const count = (most: number) => `expected an integer from 1 to ${most}`;
  const scopes =
    "expected one or more of inference, batches, tools, todos, admin, with commas between them";
  test.each([
    ["hush name=", `name: ${expectedName}, got ""`],
    ["hush name=-a", `name: ${expectedName}, got "-a"`],
    ["hush name=a/b", `name: ${expectedName}, got "a/b"`],
    ["hush name=ä", `name: ${expectedName}, got "ä"`],
    [`hush name=${"x".repeat(65)}`, `name: ${expectedName}, got "xxx`],
    ["hush scopes=", `scopes: ${scopes}, got ""`],
    ["hush scopes=inference,", `scopes: ${scopes}, got "inference,"`],
    ["hush scopes=root", `scopes: ${scopes}, got "root"`],
    ["hush scopes=todos,todos", `scopes: ${scopes}, got "todos,todos"`],
    ["hush access=write", 'access: expected one of full, read-only, got "write"'],
    ["hush requests-per-minute=0", `requests-per-minute: ${count(1_000_000)}, got "0"`],
    ["hush requests-per-minute=1.5", `requests-per-minute: ${count(1_000_000)}, got "1.5"`],
    ["hush tokens-per-minute=1e3", `tokens-per-minute: ${count(1_000_000_000)}, got "1e3"`],
    ["hush concurrent=100001", `concurrent: ${count(100_000)}, got "100001"`],
    ["hush weight=0", 'weight: expected a number from 0.01 to 100, got "0"'],
    ["hush weight=101", 'weight: expected a number from 0.01 to 100, got "101"'],
    ["hush weight=Infinity", 'weight: expected a number from 0.01 to 100, got "Infinity"'],
    [
      "hush scope=todos",
      "scope: expected one of name, scopes, access, requests-per-minute, tokens-per-minute, concurrent, weight",
    ],
    ["hush constructor=1", "constructor: expected one of name, "],
    ["hush name=a name=b", "name: expected once, got twice"],
    ["a name=b hush", "field 3: expected an attribute as NAME=VALUE"],
    ["a Hush=b", "field 2: expected an attribute as NAME=VALUE"],
    ["name=alice hush", "expected the key first, got an attribute"],
    ["sha256:hush", "key: expected 64 hexadecimal digits after sha256:"],
  ])("%s", (line, message) => {
    const attempt = () => parse(line);
    expect(attempt).toThrow(StartupError);
    expect(attempt).toThrow(`keys: line 3: ${message}`);
    expect(attempt).not.toThrow(/hush/i);
  });
});
