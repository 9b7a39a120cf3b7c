import { z } from "zod";
import { isJsonObject } from "../../core/json.js";
import { withTimesPerToken } from "../fields/usage.js";
import { type StoredItem, storedItem } from "./item-schema.js";

/**
 * Parses an item of a conversations file, also one that an earlier release has written.
 * @throws {Error} naming the first invalid field
 */
export function parseStoredItem(value: unknown): StoredItem {
  const result = storedItem.safeParse(upgradeItem(value));
  if (result.success) return result.data;
  const { path, message } = findFirstIssue(result.error.issues);
  throw new Error(`item: ${z.core.toDotPath(path) || "top level"}: ${message}`);
}

/** Completes an item of a release whose `timings` had no times per token. */
export function upgradeItem(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { response } = value;
  if (!isJsonObject(response) || !isJsonObject(response.timings)) return value;
  return { ...value, response: { ...response, timings: withTimesPerToken(response.timings) } };
}

type Issue = z.core.$ZodIssue;

/** Returns the first issue, within a union that of the alternative with the fewest issues. */
function findFirstIssue(issues: readonly Issue[]): Pick<Issue, "path" | "message"> {
  const [first] = issues;
  if (first?.code !== "invalid_union") return first ?? { path: [], message: "wrong shape" };
  const [nearest] = first.errors.toSorted((one, other) => one.length - other.length);
  if (nearest === undefined) return first;
  const { path, message } = findFirstIssue(nearest);
  return { path: [...first.path, ...path], message };
}
