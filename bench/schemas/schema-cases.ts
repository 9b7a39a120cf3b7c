import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { parse } from "lossless-json";
import { InputError } from "../../models/command-line/input-error.js";
import { formatReason } from "../../src/core/format-reason.js";
import type { LosslessJson } from "./lossless-json.js";

/** Schema with values that it must accept or reject. */
export interface SchemaCase {
  readonly name: string;
  readonly schema: unknown;
  readonly instances: readonly { readonly isValid: boolean; readonly value: LosslessJson }[];
}

/**
 * Reads a file of lines `{"name", "schema", "tests": [{"valid", "data"}]}`, as in MaskBench.
 * @throws {InputError} naming the line
 */
export async function* readSchemaCases(path: string): AsyncGenerator<SchemaCase> {
  if (!existsSync(path)) throw new InputError(`--data: expected a file, got ${path}`);
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    number++;
    if (line.trim() !== "") yield parseCase(line, `${path}, line ${number}`);
  }
}

function parseCase(line: string, where: string): SchemaCase {
  try {
    const { name, schema, tests } = JSON.parse(line);
    const lossless = parse(line) as { tests: { data: LosslessJson }[] };
    if (typeof name !== "string" || schema === undefined || !Array.isArray(tests)) {
      throw new Error("expected name, schema and tests");
    }
    return {
      name,
      schema,
      instances: tests.map(({ valid }, index) => ({
        isValid: valid === true,
        value: lossless.tests[index]?.data ?? null,
      })),
    };
  } catch (error) {
    throw new InputError(`${where}: ${formatReason(error)}`);
  }
}
