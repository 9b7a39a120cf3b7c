import type { z } from "zod";
import type { ErrorDetail } from "../core/errors.js";

type Issue = z.core.$ZodIssue;

/** A body of wrong items must not be answered with a book. */
const MOST_DETAILS = 20;
/** Longest stretch of a refused value that an error repeats. */
const LONGEST_PREVIEW = 60;

/**
 * What is wrong with a value that a schema refused: for each field, the first 20 at most, what was
 * expected and what came.
 * @param input the refused value.
 */
export function describeIssues(error: z.ZodError, input: unknown): ErrorDetail[] {
  const details = new Map<string, ErrorDetail>();
  for (const issue of error.issues.flatMap(mostSpecific).flatMap(oneForEachKey)) {
    const field = issue.path.map(String).join(".");
    const reason = `${expectation(issue)}, got ${preview(valueAt(input, issue.path))}`;
    // Several checks of one schema may refuse a value for the same reason.
    details.set(`${field}\n${reason}`, { field, reason });
    if (details.size === MOST_DETAILS) break;
  }
  return [...details.values()];
}

/** A union refuses with the reasons of all its branches; the one that got furthest is meant. */
function mostSpecific(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union") return [issue];
  const branches = issue.errors.map((branch) =>
    branch.flatMap((nested) => mostSpecific({ ...nested, path: [...issue.path, ...nested.path] })),
  );
  const depth = (branch: Issue[]) => Math.max(0, ...branch.map(({ path }) => path.length));
  const deepest = branches.toSorted((a, b) => depth(b) - depth(a))[0];
  return deepest !== undefined && depth(deepest) > issue.path.length ? deepest : [issue];
}

/** An object with unknown keys is refused once for all of them; each is a field of its own. */
function oneForEachKey(issue: Issue): Issue[] {
  if (issue.code !== "unrecognized_keys") return [issue];
  return issue.keys.map((key) => ({
    ...issue,
    path: [...issue.path, key],
    message: "expected no such field",
  }));
}

function expectation(issue: Issue): string {
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

/** A value as JSON for an error message; a long one is cut between characters. */
export function preview(value: unknown): string {
  if (value === undefined) return "nothing";
  const json = JSON.stringify(value) ?? String(value);
  const start = [...json.slice(0, LONGEST_PREVIEW * 2)].slice(0, LONGEST_PREVIEW).join("");
  if (start === json) return json;
  return typeof value === "string" ? `${start}… (${[...value].length} characters)` : `${start}…`;
}
