import { readFileSync, statSync } from "node:fs";
import { reasonOf } from "../core/reason-of.js";
import { StartupError } from "../core/startup-error.js";
import type { GenerationModelSpec } from "./model-spec.js";

/** The longest templates of models have some tens of thousands. */
const MAX_BYTES = 1024 * 1024;

/**
 * The chat template that takes the place of the one in a model's file, in Jinja.
 * @throws {StartupError} its file cannot be read
 */
export function chatTemplateOf({
  chatTemplate,
  chatTemplateFile: path,
}: Pick<GenerationModelSpec, "chatTemplate" | "chatTemplateFile">): string | undefined {
  if (chatTemplate !== undefined || path === undefined) return chatTemplate;
  try {
    const { size } = statSync(path);
    if (size > MAX_BYTES) throw new Error(`expected at most ${MAX_BYTES} bytes, got ${size}`);
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new StartupError(
      `--chat-template-file ${path}: cannot be read: ${reasonOf(error)}`,
      error,
    );
  }
}
