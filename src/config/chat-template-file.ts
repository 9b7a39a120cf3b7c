import { formatReason } from "../core/format-reason.js";
import { StartupError } from "../core/startup-error.js";
import { readRegularFile } from "../files/named-files.js";
import type { GenerationModelSpec } from "./model-spec.js";

/** Maximum file size; the longest templates of models have some tens of thousands of bytes. */
const MAX_BYTES = 1024 * 1024;

/**
 * Returns the Jinja chat template that overrides the one in the model's file, if any.
 * @throws {StartupError} the template file cannot be read
 */
export function readChatTemplate({
  chatTemplate,
  chatTemplateFile: path,
}: Pick<GenerationModelSpec, "chatTemplate" | "chatTemplateFile">): string | undefined {
  if (chatTemplate !== undefined || path === undefined) return chatTemplate;
  try {
    return readRegularFile(path, MAX_BYTES).toString("utf8");
  } catch (error) {
    throw new StartupError(
      `--chat-template-file ${path}: cannot be read: ${formatReason(error)}`,
      error,
    );
  }
}
