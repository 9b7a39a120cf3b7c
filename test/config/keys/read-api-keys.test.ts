import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { readApiKeys } from "../../../src/config/keys/read-api-keys.js";
import { loadConfig } from "../../../src/config/load-config.js";
import { scopes } from "../../../src/core/api-keys.js";
import { StartupError } from "../../../src/core/startup-error.js";
import { configFolder } from "../../support/config-file.js";

const { fileWith, folderPath, missingFile } = configFolder();

const readAll = (flags: Readonly<Record<string, unknown>>) =>
  readApiKeys(loadConfig({ flags, environment: {} }).config);
const read = (flags: Readonly<Record<string, unknown>>) => readAll(flags).keys;
const hash = (key: string) => createHash("sha256").update(key).digest("hex");
const hashes = (...keys: readonly string[]) => keys.map(hash);
const hashesOf = (flags: Readonly<Record<string, unknown>>) =>
  read(flags).map(({ sha256 }) => sha256);

describe("the API keys", () => {
  test("come from flags if there is no key file", () => {
    expect(read({})).toEqual([]);
    expect(hashesOf({ apiKey: ["a", "b"] })).toEqual(hashes("a", "b"));
  });

  test.each([
    ["one per line", "one\ntwo\n", ["one", "two"]],
    ["without a last line break", "one\ntwo", ["one", "two"]],
    ["with Windows line breaks", "one\r\ntwo\r\n", ["one", "two"]],
    ["among blank lines and comments", "# team A\n\none\n  \n #two\n three \n", ["one", "three"]],
    ["with a byte order mark", "\uFEFFone\n", ["one"]],
    ["with # and = inside", "one#1\ntwo==\n", ["one#1", "two=="]],
    ["as hashes", `sha256:${hash("one")}\nsha256:${hash("two").toUpperCase()}`, ["one", "two"]],
    ["before attributes", "one\tname=alice  weight=2\ntwo name=bob", ["one", "two"]],
  ])("are read from a file %s", (_, content, keys) => {
    expect(hashesOf({ apiKeyFile: fileWith("keys", content) })).toEqual(hashes(...keys));
  });

  test("of the flags and of the file are combined", () => {
    const apiKeyFile = fileWith("keys", "file");
    expect(hashesOf({ apiKey: ["flag"], apiKeyFile })).toEqual(hashes("flag", "file"));
  });

  test("without attributes have all scopes, no limits, and names that do not reveal the key", () => {
    const apiKeyFile = fileWith("keys", "bare");
    const everything = { scopes, access: "full", weight: 1, limits: {}, written: {} };
    const expected = (key: string, location: string) => ({
      ...{ sha256: hash(key), name: `key-${hash(key).slice(0, 8)}`, location },
      ...everything,
    });
    expect(read({ apiKey: ["flag"], apiKeyFile })).toEqual([
      expected("flag", "--api-key"),
      expected("bare", `--api-key-file ${apiKeyFile}: line 1`),
    ]);
  });

  test("of --read-only-api-key are read-only", () => {
    expect(read({ apiKey: ["a"], readOnlyApiKey: ["b"] })).toMatchObject([
      { sha256: hash("a"), access: "full" },
      { sha256: hash("b"), access: "read-only", scopes, written: { access: "read-only" } },
    ]);
  });

  test("in flags may be hashes", () => {
    expect(hashesOf({ apiKey: [`sha256:${hash("a")}`] })).toEqual(hashes("a"));
    expect(() => read({ readOnlyApiKey: ["sha256:hush"] })).toThrow(
      /^--read-only-api-key: expected 64 hexadecimal digits after sha256:$/,
    );
  });
});

test.each(["hush hush", "hüsh", "h".repeat(1025)])(
  "keys in flags have the same syntax as in the file: %#",
  (key) => {
    const attempt = () => read({ readOnlyApiKey: [key] });
    expect(attempt).toThrow(StartupError);
    expect(attempt).toThrow(
      /^--read-only-api-key: expected (visible ASCII|1 to 1024) characters, got /,
    );
  },
);

describe("a key file", () => {
  test.each(["", "\n\n", "# only a comment\n"])("without keys is rejected: %j", (content) => {
    const apiKeyFile = fileWith("keys", content);
    const attempt = () => read({ apiKey: ["flag"], apiKeyFile });
    expect(attempt).toThrow(StartupError);
    expect(attempt).toThrow(`--api-key-file ${apiKeyFile}: contains no key`);
  });

  test.each([missingFile, folderPath])("that cannot be read is rejected", (apiKeyFile) => {
    expect(() => read({ apiKeyFile })).toThrow(StartupError);
    expect(() => read({ apiKeyFile })).toThrow(`--api-key-file ${apiKeyFile}: cannot be read: `);
  });

  const character = (point: string, index: number) =>
    `expected visible ASCII characters, got U+${point} as character ${index}`;
  test.each([
    ["NUL bytes", "\0".repeat(64), character("0000", 1)],
    ["UTF-16", Buffer.from("\uFEFFhush", "utf16le"), character("FFFD", 1)],
    ["bytes that are not text", Buffer.from([0x68, 0xff, 0xfe]), character("FFFD", 2)],
    ["a key with an escape sequence", "hush\u001b[31m", character("001B", 5)],
    ["a key with a letter that a header cannot carry", "hush🔑", character("1F511", 5)],
    ["a line of megabytes", "hush".repeat(500_000), "expected 1 to 1024 characters, got 2000000"],
    ["a key that is too long by one", "h".repeat(1025), "expected 1 to 1024 characters, got 1025"],
  ])("with %s is rejected, and the error does not contain the key", (_, content, reason) => {
    const apiKeyFile = fileWith(
      "keys",
      Buffer.concat([Buffer.from("one\n"), Buffer.from(content)]),
    );
    const attempt = () => read({ apiKeyFile });
    expect(attempt).toThrow(StartupError);
    expect(attempt).toThrow(`--api-key-file ${apiKeyFile}: line 2: key: ${reason}`);
    expect(attempt).not.toThrow("hush");
  });

  test("may contain a key of 1024 characters, and all visible ASCII characters", () => {
    const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));
    const keys = ["h".repeat(1024), `k${visible.join("")}`];
    expect(hashesOf({ apiKeyFile: fileWith("keys", keys.join("\n")) })).toEqual(hashes(...keys));
  });

  test("with an invalid line is rejected with the line number", () => {
    const apiKeyFile = fileWith("keys", "# keys\none name=a\n\nhush weight=heavy\n");
    expect(() => read({ apiKeyFile })).toThrow(
      `--api-key-file ${apiKeyFile}: line 4: weight: expected a number from 0.01 to 100, got "heavy"`,
    );
  });
});

test.each([
  [{ apiKey: ["hush", "hush"] }, "--api-key: expected a unique key, got that of --api-key"],
  [
    { apiKey: ["a", "hush"], readOnlyApiKey: ["b", "hush"] },
    "--read-only-api-key: expected a unique key, got that of --api-key",
  ],
  [
    { apiKey: ["hush"], apiKeyFile: fileWith("same-key", "a\nhush name=b\n") },
    /^--api-key-file \S+: line 2: expected a unique key, got that of --api-key$/,
  ],
  [
    { apiKeyFile: fileWith("same-hash", `hush\nsha256:${hash("hush")}\n`) },
    /: line 2: expected a unique key, got that of --api-key-file \S+: line 1$/,
  ],
  [
    { apiKeyFile: fileWith("same-name", "hush name=a\nhush2 name=a\n") },
    /: line 2: expected a unique name, got that of --api-key-file \S+: line 1$/,
  ],
  [
    {
      apiKey: ["hush"],
      apiKeyFile: fileWith("given-name", `b name=key-${hash("hush").slice(0, 8)}`),
    },
    /: line 1: expected a unique name, got that of --api-key$/,
  ],
])(
  "duplicate keys and names are rejected, and the error does not contain the key: %#",
  (flags, message) => {
    const attempt = () => read(flags);
    expect(attempt).toThrow(StartupError);
    expect(attempt).toThrow(message);
    expect(attempt).not.toThrow("hush");
  },
);

describe("groups of the key file", () => {
  const groupsOf = (content: string) => readAll({ apiKeyFile: fileWith("groups", content) });

  test("have budgets, and keys belong to them by name", () => {
    const { keys, groups } = groupsOf(
      "a name=alice group=team\ngroup:team tokens-per-day=1000 requests-per-month=50\ngroup:empty\n",
    );
    expect(keys).toMatchObject([{ name: "alice", group: "team" }]);
    expect(groups).toEqual([
      { name: "team", budgets: { tokensPerDay: 1000, requestsPerMonth: 50 } },
      { name: "empty", budgets: {} },
    ]);
  });

  test.each([
    ["a name=a\n", undefined],
    ["a tokens-per-minute=5\n", undefined],
    ["a\nb tokens-per-day=5\n", /: line 2$/],
    ["a group=g\n\ngroup:g requests-per-day=5\n", /: line 3$/],
  ])("and keys report the place of the first budget: %j", (content, place) => {
    const { budgetAt } = groupsOf(content);
    if (place === undefined) expect(budgetAt).toBeUndefined();
    else expect(budgetAt).toMatch(place);
  });

  test.each([
    ["group:team\n", /: contains no key$/],
    [
      "a group=tame\ngroup:team\n",
      /: line 1: group: expected a group of the key file \(a line group:NAME with its budgets\), got tame$/,
    ],
    ["a\ngroup:b\ngroup:b\n", /: line 3: expected a unique group, got that of .*: line 2$/],
    ["a\ngroup:\n", /: line 2: expected a group's name of 1 to 64 letters, digits, /],
    [
      "a\ngroup:b hush\n",
      /: line 2: field 2: expected a budget \(requests-per-day, .*\) as NAME=VALUE$/,
    ],
    ["a\ngroup:b weight=2\n", /: line 2: field 2: expected a budget \(/],
    [
      "a\ngroup:b tokens-per-day=0\n",
      /: line 2: tokens-per-day: expected an integer from 1 to 1000000000000, got "0"$/,
    ],
  ])("are rejected with their place: %j", (content, message) => {
    const attempt = () => groupsOf(content);
    expect(attempt).toThrow(StartupError);
    expect(attempt).toThrow(message);
    expect(attempt).not.toThrow("hush");
  });
});
