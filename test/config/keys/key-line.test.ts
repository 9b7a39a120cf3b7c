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
    written: {
      ...{ name: "alice", scopes: "inference,todos", access: "read-only", concurrent: "4" },
      ...{ "requests-per-minute": "60", "tokens-per-minute": "100000", weight: "0.5" },
    },
    location: "keys: line 3",
  });
});

test.each(["a", "Alice", "team-1", "a.b@c_d", "x".repeat(64)])(
  "the key name %j is accepted",
  (name) => {
    expect(parse(`hush name=${name}`).name).toBe(name);
  },
);

test("a line contains budgets, and what the key may use", () => {
  const line =
    "hush name=bob group=team requests-per-day=10 requests-per-month=200 tokens-per-day=1000 tokens-per-month=20000 models=qwen*,ggufd-mini adapters=none max-context=4096 max-tokens=512 priority-ceiling=-5";
  expect(parse(line)).toMatchObject({
    name: "bob",
    group: "team",
    limits: {
      requestsPerDay: 10,
      requestsPerMonth: 200,
      tokensPerDay: 1000,
      tokensPerMonth: 20_000,
    },
    models: ["qwen*", "ggufd-mini"],
    adapters: [],
    maxContext: 4096,
    maxTokens: 512,
    priorityCeiling: -5,
  });
});

describe("an invalid line of the key file is rejected with its position, and without the key:", () => {
  const expectedName = "expected 1 to 64 letters, digits, -, _, . or @, a letter or digit first";
  const count = (most: number) => `expected an integer from 1 to ${most}`;
  const scopes =
    "expected one or more of inference, batches, tools, todos, admin, with commas between them";
  const patterns = "expected 1 to 100 names or patterns with *, with commas between them";
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
      "scope: expected one of name, scopes, access, group, requests-per-minute, tokens-per-minute, concurrent, requests-per-day, requests-per-month, tokens-per-day, tokens-per-month, weight, models, adapters, max-context, max-tokens, priority-ceiling",
    ],
    ["hush group=a/b", `group: ${expectedName}, got "a/b"`],
    ["hush requests-per-day=0", `requests-per-day: ${count(1_000_000_000_000)}, got "0"`],
    ["hush tokens-per-month=-1", `tokens-per-month: ${count(1_000_000_000_000)}, got "-1"`],
    ["hush models=", `models: ${patterns}, got ""`],
    ["hush models=a,,b", `models: ${patterns}, got "a,,b"`],
    ["hush adapters=,", `adapters: ${patterns}, or none, got ","`],
    ["hush max-context=1.5", `max-context: ${count(1_000_000_000)}, got "1.5"`],
    ["hush max-tokens=0", `max-tokens: ${count(1_000_000_000)}, got "0"`],
    [
      "hush priority-ceiling=low",
      'priority-ceiling: expected an integer from -1000000 to 1000000, got "low"',
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
