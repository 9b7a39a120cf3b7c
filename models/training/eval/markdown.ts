import type { Message } from "../corpus/conversation.js";
import { json } from "../corpus/json.js";
import type { Dialogue } from "./dialogues.js";

/** Formats a conversation as Markdown, with every text verbatim. */
export function toMarkdown(dialogue: Dialogue, messages: readonly Message[]): string {
  const { title, system, thinking, tools } = dialogue;
  const signatures = tools?.map(({ tool: { name, description, parameters } }) => {
    const list = Object.entries(parameters).map(([key, type]) => `${key}: ${type}`);
    return `- \`${name}(${list.join(", ")})\` — ${description}`;
  });
  return [
    `## ${title}`,
    ...(system === undefined ? [] : [said("System", system)]),
    ...(thinking ? ["**Thinking:** asked for (`enable_thinking`)"] : []),
    ...(signatures === undefined ? [] : [`**Tools:**\n\n${signatures.join("\n")}`]),
    ...messages.flatMap(blocksOf),
  ].join("\n\n");
}

function blocksOf(message: Message): string[] {
  if (message.role === "user") return [said("User", message.content)];
  if (message.role === "tool") return [`**Tool answers:** ${code(message.content)}`];
  const { content, reasoning, calls = [] } = message;
  return [
    ...(reasoning === undefined ? [] : [said("Model thinks", reasoning)]),
    ...(content === "" && calls.length > 0 ? [] : [said("Model", content)]),
    ...calls.map(
      (call) => `**Model calls:** ${code(`${call.name}(${json({ ...call.arguments })})`)}`,
    ),
  ];
}

function said(who: string, text: string): string {
  const shown = isPlain(text) ? text : code(text);
  return `**${who}:**${shown.includes("\n") ? "\n\n" : " "}${shown}`;
}

/** Whether Markdown renders a text unchanged. */
function isPlain(text: string): boolean {
  return text !== "" && text === text.trim() && !/[\n<>*_`[\]\\#|~&]/.test(text);
}

/** Formats code: a single line in backticks, several lines as a block. */
function code(text: string): string {
  if (text === "") return "(nothing)";
  const fence = "`".repeat(Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length)) + 1);
  if (text.includes("\n")) {
    const block = fence.padEnd(3, "`");
    return `${block}text\n${text}\n${block}`;
  }
  return fence === "`" ? `\`${text}\`` : `${fence} ${text} ${fence}`;
}
