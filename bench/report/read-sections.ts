import { readFileSync } from "node:fs";
import { InputError } from "../../models/command-line/input-error.js";
import { formatReason } from "../../src/core/format-reason.js";
import type { ResultFile } from "../summary/result-file.js";
import type { TodosFile } from "../todos/todos-result.js";
import { type EngineFile, engineSection } from "./engine-section.js";
import { scenarioSections } from "./scenario-sections.js";
import type { Section } from "./section.js";
import { todosSections } from "./todos-sections.js";

/**
 * Reads the sections of a result file of `npm run bench`.
 * @throws {InputError} if it is not such a file
 */
export function readSections(path: string): Section[] {
  const file = readJson(path);
  if (typeof file === "object" && file !== null) {
    if ("format" in file && file.format === 1) return scenarioSections(file as ResultFile);
    if ("kind" in file && file.kind === "todos") return todosSections(file as TodosFile);
    if ("rows" in file && "options" in file) return [engineSection(file as EngineFile)];
  }
  throw new InputError(`${path}: expected a file that npm run bench wrote, got other JSON`);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new InputError(
      `${path}: expected a file that npm run bench wrote: ${formatReason(error)}`,
    );
  }
}
