import { titleOfConversation } from "../chat-settings.js";
import {
  type Answer,
  fileNameOf,
  filesOfQuestion,
  groupIntoTurns,
  isCall,
  type Question,
  recordOf,
  type Turn,
  textOfMessage,
  textOfReasoning,
} from "../turns.js";
import type { WholeConversation } from "./export-file.js";

const SPEAKERS = { user: "You", system: "System", developer: "System" } as const;

/** Converts the shown branch of a conversation to Markdown. */
export function toMarkdown({ conversation, items }: WholeConversation): string {
  const { created_at, metadata } = conversation;
  const date = new Date(created_at * 1000).toISOString().slice(0, 10);
  const { instructions } = metadata;
  const head = [`# ${titleOfConversation(conversation)}`, `_${date}_`];
  const system = instructions === undefined ? [] : ["## System", instructions];
  return `${[...head, ...system, ...groupIntoTurns(items).flatMap(printTurn)].join("\n\n")}\n`;
}

function printTurn(turn: Turn): readonly string[] {
  return turn.type === "question" ? printQuestion(turn) : printAnswer(turn);
}

function printQuestion({ item }: Question): readonly string[] {
  const attachments = filesOfQuestion(item).map((part) => {
    if (part.type === "input_file") return fileNameOf(part);
    return part.type === "input_image" ? "image" : "audio";
  });
  const text = textOfMessage(item);
  return [
    `## ${SPEAKERS[item.role]}`,
    ...(attachments.length === 0 ? [] : [`_Attached: ${attachments.join(", ")}_`]),
    ...(text === "" ? [] : [text]),
  ];
}

function printAnswer({ items }: Answer): readonly string[] {
  const parts = items.flatMap((item) => {
    if (item.type === "message") return [textOfMessage(item)];
    if (item.type === "reasoning") {
      return [`<details>\n<summary>Thoughts</summary>\n\n${textOfReasoning(item)}\n\n</details>`];
    }
    if (isCall(item)) {
      const text = item.type === "function_call" ? item.arguments : item.input;
      return [`Tool call: \`${item.name}\``, fence(text)];
    }
    if ("output" in item && typeof item.output === "string") {
      return ["Tool result:", fence(item.output)];
    }
    return [];
  });
  return [`## ${recordOf(items)?.model ?? "Assistant"}`, ...parts.filter((part) => part !== "")];
}

/** Encloses a text in a code fence that is longer than any in the text. */
function fence(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const marks = "`".repeat(longest + 1);
  return `${marks}\n${text}\n${marks}`;
}
