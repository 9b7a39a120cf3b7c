import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { parseDeprecation } from "../../src/config/setting-fields.js";
import { StartupError } from "../../src/core/startup-error.js";
import { configFolder } from "../support/config-file.js";

const { fileWith } = configFolder();

const DEFAULT = ["/todos 2026-12-01 2027-12-01 /v1/todos"];
const read = (flags: Readonly<Record<string, unknown>>, environment: NodeJS.ProcessEnv = {}) =>
  loadConfig({ flags, environment }).config.deprecate;
const fromFile = (deprecate: unknown) =>
  read({ config: fileWith("config.json", JSON.stringify({ deprecate })) });

describe("--deprecate", () => {
  test("defaults to the simpler to-do routes", () => {
    expect(read({})).toEqual(DEFAULT);
  });

  test("is read from flag, environment and file, in this order of precedence", () => {
    const one = "/a 2026-01-01 2026-01-01 /b";
    const two = "/ 1999-12-31 2030-02-28 https://example.com/a?b=c";
    expect(read({ deprecate: [one, two] })).toEqual([one, two]);
    expect(read({}, { GGUFD_DEPRECATE: `${one},${two}` })).toEqual([one, two]);
    expect(fromFile([two])).toEqual([two]);
  });

  test("is disabled by an empty list or an empty value", () => {
    expect(fromFile([])).toEqual([]);
    expect(read({ deprecate: [""] })).toEqual([]);
  });

  test.each([
    ["/todos", /expected PATH DEPRECATED-ON SUNSET-ON SUCCESSOR, got "\/todos"$/],
    ["/todos 2026-01-01 2027-01-01", /expected PATH DEPRECATED-ON SUNSET-ON SUCCESSOR, got/],
    ["/todos 2026-01-01 2027-01-01 /a /b", /expected PATH DEPRECATED-ON SUNSET-ON SUCCESSOR, got/],
    ["todos 2026-01-01 2027-01-01 /a", /with a path that begins with \/ and has no query, got/],
    ["/todos?x 2026-01-01 2027-01-01 /a", /with a path that begins with \/ and has no query, got/],
    ["/todos 2026-1-1 2027-01-01 /a", /with dates as YYYY-MM-DD, got/],
    ["/todos 2026-01-01 2026-02-30 /a", /with dates as YYYY-MM-DD, got/],
    ["/todos 2027-01-02 2027-01-01 /a", /with dates in this order, got/],
    ["/todos 2026-01-01 2027-01-01 a", /with a path or http URL as the successor, got/],
    ["/todos 2026-01-01 2027-01-01 /a>;b=<", /with a path or http URL as the successor, got/],
    ["/todos 2026-01-01 2027-01-01 /\u00e4", /with a path or http URL as the successor, got/],
    ["/todos 2026-01-01 2027-01-01 javascript:x", /with a path or http URL as the successor, got/],
  ])("rejects %j", (text, message) => {
    for (const attempt of [() => read({ deprecate: [...DEFAULT, text] }), () => fromFile([text])]) {
      expect(attempt).toThrow(StartupError);
      expect(attempt).toThrow(message);
    }
    expect(() => read({ deprecate: [text] })).toThrow(/^--deprecate: expected PATH /);
  });

  test.each([7, "/todos 2026-01-01 2027-01-01 /a", {}, [7], [null]])(
    "rejects %j in the configuration file",
    (value) => {
      expect(() => fromFile(value)).toThrow(StartupError);
      expect(() => fromFile(value)).toThrow(/config\.json: deprecate: expected /);
    },
  );
});

describe("parseDeprecation", () => {
  test("parses dates as midnight UTC", () => {
    expect(parseDeprecation("/todos 2026-12-01 2027-12-01 /v1/todos")).toEqual({
      path: "/todos",
      deprecatedAt: Date.UTC(2026, 11, 1) / 1000,
      sunsetAt: Date.UTC(2027, 11, 1) / 1000,
      successor: "/v1/todos",
    });
  });

  test.each([
    ["/", "/"],
    ["/a/", "/a"],
    ["/a/b//", "/a/b"],
  ])("removes trailing slashes from %s", (path, expected) => {
    expect(parseDeprecation(`  ${path}  2026-01-01\t2027-01-01 /x `).path).toBe(expected);
  });
});
