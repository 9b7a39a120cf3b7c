import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./passages.js";

const MAX_LENGTH = 72;
/** Earlier subjects follow other rules. */
const SINCE = "2026-11-28T19:00:00Z";
/** Imperatives that end like other verb forms. */
const IMPERATIVES =
  /^(?:Bias|Bring|Embed|Exceed|Feed|Focus|Need|Ping|Proceed|Seed|Shed|Speed|String)$/;

/** Violations in a commit subject; empty if it follows the rules in CONTRIBUTING.md. */
function findFaults(subject: string): string[] {
  const [verb = ""] = subject.split(/[\s:]/);
  const isInflected = /(?:[^s]s|ed|ing)$/.test(verb) && !IMPERATIVES.test(verb);
  const rules: readonly (readonly [isBroken: boolean, fault: string])[] = [
    [subject.length > MAX_LENGTH, `longer than ${MAX_LENGTH} characters`],
    [subject.endsWith("."), "a trailing period"],
    [/^[a-z]+(?:\([^)]*\))?!?: /.test(subject), "a prefix of a type"],
    [!/^[A-Z][a-z-]+$/.test(verb) || isInflected, "no imperative at the start"],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, fault]) => fault);
}

describe("a commit subject", () => {
  it.each([
    ["Check the wording of comments and pages", []],
    ["Address a review: name the fields", []],
    ["Seed the sampler", []],
    [`Name ${"x".repeat(67)}`, []],
    [`Name ${"x".repeat(68)}`, ["longer than 72 characters"]],
    ["Check the wording.", ["a trailing period"]],
    ["docs(api): describe errors", ["a prefix of a type", "no imperative at the start"]],
    ["Adds a check", ["no imperative at the start"]],
    ["Fixed a check", ["no imperative at the start"]],
    ["Adding a check", ["no imperative at the start"]],
    ["the check", ["no imperative at the start"]],
  ])("%j has exactly the expected violations", (subject, faults) => {
    expect(findFaults(subject)).toEqual(faults);
  });

  it.skipIf(!existsSync(join(root, ".git")))("follows the rules in the whole history", () => {
    const subjects = execFileSync(
      "git",
      ["log", "--no-merges", `--since=${SINCE}`, "--format=%s"],
      {
        cwd: root,
        encoding: "utf8",
      },
    );
    const wrong = subjects.split("\n").filter((subject) => subject !== "");
    expect(wrong.flatMap((subject) => findFaults(subject).map((it) => [subject, it]))).toEqual([]);
  });
});
