import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { readApiKeys } from "../../src/config/read-api-keys.js";
import { StartupError } from "../../src/core/startup-error.js";
import { fileWith, folderPath, missingFile } from "./config-file.js";

const read = (flags: Readonly<Record<string, unknown>>) =>
  readApiKeys(loadConfig({ flags, environment: {} }).config);

describe("readApiKeys", () => {
  test("returns the configured keys without a key file", () => {
    expect(read({})).toEqual({ full: [], readOnly: [] });
    expect(read({ apiKey: ["a", "b"] })).toEqual({ full: ["a", "b"], readOnly: [] });
  });

  test.each([
    ["one per line", "one\ntwo\n", ["one", "two"]],
    ["without a last line break", "one\ntwo", ["one", "two"]],
    ["with Windows line breaks", "one\r\ntwo\r\n", ["one", "two"]],
    ["among blank lines and comments", "# team A\n\none\n  \n #two\n three \n", ["one", "three"]],
    ["with a byte order mark", "\uFEFFone\n", ["one"]],
    ["with # inside", "one#1\n", ["one#1"]],
  ])("reads keys %s", (_, content, keys) => {
    expect(read({ apiKeyFile: fileWith("keys", content) }).full).toEqual(keys);
  });

  test("adds the file's keys to the configured ones", () => {
    const apiKeyFile = fileWith("keys", "file");
    expect(read({ apiKey: ["flag"], apiKeyFile }).full).toEqual(["flag", "file"]);
  });

  test.each(["", "\n\n", "# only a comment\n"])("rejects a file without keys: %j", (content) => {
    const apiKeyFile = fileWith("keys", content);
    const attempt = () => read({ apiKey: ["flag"], apiKeyFile });
    expect(attempt).toThrow(StartupError);
    expect(attempt).toThrow(`--api-key-file ${apiKeyFile}: contains no key`);
  });

  test.each([missingFile, folderPath])("rejects a file that cannot be read", (apiKeyFile) => {
    expect(() => read({ apiKeyFile })).toThrow(StartupError);
    expect(() => read({ apiKeyFile })).toThrow(`--api-key-file ${apiKeyFile}: cannot be read: `);
  });

  test("returns read-only keys separately", () => {
    const apiKeyFile = fileWith("keys", "file");
    expect(read({ readOnlyApiKey: ["reader"] })).toEqual({ full: [], readOnly: ["reader"] });
    expect(read({ apiKey: ["flag"], apiKeyFile, readOnlyApiKey: ["a", "b"] })).toEqual({
      full: ["flag", "file"],
      readOnly: ["a", "b"],
    });
  });

  test.each([
    { apiKey: ["a", "hush"], readOnlyApiKey: ["b", "hush"] },
    { apiKeyFile: fileWith("both", "a\nhush\n"), readOnlyApiKey: ["hush"] },
  ])("rejects a key of both kinds, without showing it", (flags) => {
    const attempt = () => read(flags);
    expect(attempt).toThrow(StartupError);
    expect(attempt).toThrow(
      /^--read-only-api-key: expected other keys than those of --api-key or --api-key-file, got one of them$/,
    );
  });
});
