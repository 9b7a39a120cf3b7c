import { existsSync } from "node:fs";
import { parseModelReference } from "../config/model-reference.js";
import { findSimilar } from "../core/nearest.js";
import { StartupError } from "../core/startup-error.js";
import { findPullableName } from "../models/pull/pull-source.js";
import { preview } from "../validation/preview.js";

/**
 * Rejects an argument that is not a model: a mistyped command, or a model's name without its
 * source.
 * @param commands names of the commands that could be meant
 * @throws {StartupError} names the most similar command, or the commands that take a model's name
 */
export function expectCommand(argument: string, commands: readonly string[]): void {
  if (isModel(argument)) return;
  const expected = `${preview(argument)}: expected a command (ggufd --help) or the path of a GGUF file`;
  const similar = findSimilar(argument, commands);
  if (similar !== undefined) {
    throw new StartupError(`${expected}; did you mean ggufd ${similar}?`);
  }
  const source = findPullableName(argument);
  throw new StartupError(
    source === undefined
      ? expected
      : `${expected}; for a model of this name: ggufd run ${argument}, or ggufd pull ${source}`,
  );
}

/** Whether `--model` takes the argument. A name of a repository is not taken for a missing file. */
function isModel(argument: string): boolean {
  if (/\.gguf$/i.test(argument) || parseModelReference(argument).kind === "name") return true;
  if (!/[\\/]/.test(argument)) return false;
  return existsSync(argument) || findPullableName(argument) === undefined;
}
