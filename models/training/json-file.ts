import { readFileSync } from "node:fs";
import type { z } from "zod";

import { describeIssues } from "../../src/validation/describe-issues.js";
import { InputError } from "../command-line/input-error.js";

/**
 * Reads and validates a JSON file of an earlier stage.
 * @throws {InputError} naming the file, the first wrong field, the expected and the received value
 */
export function readJsonFile<Output>(path: string, schema: z.ZodType<Output>): Output {
  const value = parse(path);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = describeIssues(result.error, value);
  throw new InputError(`${path}: ${issue?.field}: ${issue?.reason}`);
}

function parse(path: string): unknown {
  const text = readFileSync(path, "utf8");
  try {
    return JSON.parse(text);
  } catch {
    throw new InputError(`${path}: expected JSON, got other text`);
  }
}
