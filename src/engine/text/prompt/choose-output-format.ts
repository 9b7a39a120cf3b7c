import type { OutputFormat, ToolFormat } from "../../../core/output-format.js";
import { StartupError } from "../../../core/startup-error.js";
import { chooseConvention } from "../output/conventions/choose-convention.js";
import { chooseReasoning } from "../output/conventions/choose-reasoning.js";
import type { ChatTemplate } from "./chat-template.js";

/**
 * How a model writes tool calls and reasoning, found out by rendering probes.
 * @param toolFormat another convention than the template's, if it is not `auto`
 * @throws {StartupError} for a convention whose calls the prompt would not ask for
 */
export function chooseOutputFormat(
  template: Pick<ChatTemplate, "renderProbe" | "listsTools">,
  toolFormat: ToolFormat,
): OutputFormat {
  const render: ChatTemplate["renderProbe"] = (prompt) => template.renderProbe(prompt);
  const convention = toolFormat === "auto" ? chooseConvention(render) : toolFormat;
  if (convention !== "generic" && !template.listsTools) throw listsNoTools(convention);
  return { convention, reasoning: chooseReasoning(render, convention) };
}

function listsNoTools(convention: string): StartupError {
  return new StartupError(
    `--tool-format ${convention}: expected auto or generic, because the model's chat template lists no tools`,
  );
}
