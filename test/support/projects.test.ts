import { readdirSync } from "node:fs";
import { matchesGlob } from "node:path";
import { expect, it } from "vitest";
import {
  browser,
  clients,
  http,
  long,
  longBrowser,
  real,
  server,
  training,
  vulkan,
} from "../projects.js";

const tests = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => `test/${name}`);

/** `a/{b,c}` as `a/b` and `a/c`. */
function alternativesOf(pattern: string): readonly string[] {
  const [all, alternatives] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  if (all === undefined || alternatives === undefined) return [pattern];
  return alternatives.split(",").flatMap((one) => alternativesOf(pattern.replace(all, one)));
}

const patterns = [
  ...[...http, ...server, ...real, ...long, ...training, ...vulkan, ...clients],
  ...[...browser, ...longBrowser],
];

it.each(patterns.flatMap(alternativesOf))(
  "there are tests for the project's pattern %s",
  (pattern) => {
    expect(tests.some((test) => matchesGlob(test, pattern))).toBe(true);
  },
);
