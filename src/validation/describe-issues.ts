import type { z } from "zod";
import { type ErrorDetail, shortenName } from "../core/errors.js";
import { preview } from "./preview.js";

type Issue = z.core.$ZodIssue;

/** Maximum number of details in the error response for a body with many invalid items. */
export const MAX_DETAILS = 20;

/**
 * Describes why a schema rejected a value: what was expected and what was received, for each field,
 * up to {@link MAX_DETAILS}.
 * @param input the rejected value.
 */
export function describeIssues(error: z.ZodError, input: unknown): ErrorDetail[] {
  const details = new Map<string, ErrorDetail>();
  const issues = dropIssuesOfOtherTypes(error.issues.flatMap(selectMostSpecific));
  for (const issue of issues.flatMap(splitByKey)) {
    const field = issue.path.map((key) => shortenName(String(key))).join(".");
    const got = issue.code === "invalid_key" ? issue.path.at(-1) : valueAt(input, issue.path);
    const reason = `${extractExpectation(issue)}, got ${preview(got)}`;
    // Several checks of one schema can reject a value for the same reason.
    details.set(`${field}\n${reason}`, { field, reason });
    if (details.size === MAX_DETAILS) break;
  }
  return [...details.values()];
}

/**
 * Reduces the issues of a union, which include those of all its branches, to the deepest match;
 * among several, to the one with the fewest issues.
 */
function selectMostSpecific(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union") return [issue];
  const branches = issue.errors.map((branch) =>
    branch.flatMap((nested) =>
      selectMostSpecific({ ...nested, path: [...issue.path, ...nested.path] }),
    ),
  );
  const measureDepth = (branch: Issue[]) => Math.max(0, ...branch.map(({ path }) => path.length));
  const compareCloseness = (a: Issue[], b: Issue[]) =>
    measureDepth(b) - measureDepth(a) || a.length - b.length;
  const deepest = branches.toSorted(compareCloseness)[0];
  return deepest !== undefined && measureDepth(deepest) > issue.path.length ? deepest : [issue];
}

/**
 * Drops missing-field issues of a branch whose type does not match the object's: another type has
 * other fields.
 */
function dropIssuesOfOtherTypes(issues: readonly Issue[]): readonly Issue[] {
  const isType = ({ code, path }: Issue) => code === "invalid_value" && path.at(-1) === "type";
  const parentOf = ({ path }: Issue) => JSON.stringify(path.slice(0, -1));
  const others = new Set(issues.filter(isType).map(parentOf));
  return issues.filter((issue) => isType(issue) || !others.has(parentOf(issue)));
}

/** Splits an issue that covers all unknown keys of an object into one issue per key. */
function splitByKey(issue: Issue): Issue[] {
  if (issue.code !== "unrecognized_keys") return [issue];
  return issue.keys.map((key) => ({
    ...issue,
    path: [...issue.path, key],
    message: "expected no such field",
  }));
}

function extractExpectation(issue: Issue): string {
  return issue.message.replace(/^Invalid input: /, "").replace(/, received .*$/, "");
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    input,
  );
}
