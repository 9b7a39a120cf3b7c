/** Export of Open WebUI: an array of chats, each with a tree of messages. */
import {
  type ImportedBranch,
  type ImportedConversation,
  type ImportedItem,
  isObject,
  type JsonObject,
  listIn,
  type ParsedConversations,
  parseConversations,
  type SkipCounter,
  textIn,
  toMessage,
  toReasoning,
  toTitle,
  toUnixSeconds,
} from "./imported.js";
import { listBranches, type TreeNode } from "./message-tree.js";

/** Whether a value is a chat of Open WebUI's export. */
export function isOpenWebUiChat(value: unknown): value is JsonObject {
  return isObject(value) && isObject(value.chat);
}

export function parseOpenWebUi(values: readonly unknown[]): ParsedConversations {
  return parseConversations(values, isOpenWebUiChat, parseChat);
}

/** Maximum length of a metadata value. */
const MAX_INSTRUCTIONS_LENGTH = 16_384;

function parseChat(
  { chat, title, created_at, updated_at, pinned }: JsonObject,
  skips: SkipCounter,
): ImportedConversation | undefined {
  if (!isObject(chat)) return undefined;
  const branches = parseBranches(chat, skips);
  if (branches.length === 0) return undefined;
  const params = isObject(chat.params) ? chat.params : {};
  const instructions = textIn(chat.system) ?? textIn(params.system);
  const isLong = instructions !== undefined && instructions.length > MAX_INSTRUCTIONS_LENGTH;
  if (isLong) skips.add("system prompts", `they exceed ${MAX_INSTRUCTIONS_LENGTH} characters`);
  return {
    title: toTitle(title ?? chat.title),
    metadata: {
      ...(instructions !== undefined && !isLong && { instructions }),
      ...(pinned === true && { pinned: "true" }),
    },
    times: {
      createdAt: toUnixSeconds(created_at) ?? toUnixSeconds(chat.timestamp),
      updatedAt: toUnixSeconds(updated_at) ?? toUnixSeconds(chat.timestamp),
    },
    branches,
  };
}

function parseBranches(chat: JsonObject, skips: SkipCounter): readonly ImportedBranch[] {
  const history = isObject(chat.history) ? chat.history : {};
  if (isObject(history.messages)) {
    const nodes = Object.entries(history.messages).map(([id, message]): TreeNode => {
      const { childrenIds } = isObject(message) ? message : {};
      return {
        id,
        children: listIn(childrenIds).filter((child) => typeof child === "string"),
        items: parseMessage(message, skips),
      };
    });
    return listBranches(nodes, textIn(history.currentId));
  }
  // Early releases stored only the shown branch.
  const items = listIn(chat.messages).flatMap((message) => parseMessage(message, skips));
  return items.length === 0 ? [] : [{ items }];
}

function parseMessage(message: unknown, skips: SkipCounter): readonly ImportedItem[] {
  if (!isObject(message)) return [];
  const { role, content, files } = message;
  const attachments = [...listIn(files), ...listIn(content)].filter(isObject);
  const images = attachments.filter(({ type }) => type === "image" || type === "image_url").length;
  const others = listIn(files).length - listIn(files).filter(isImage).length;
  skips.add("images", "they are not part of the text", images);
  skips.add("files", "the export does not contain them", others);
  const text = textOf(content);
  if (role === "user" && text.trim() === "" && images > 0) return [toMessage("user", "(Image)")];
  if (role === "user" || role === "system") {
    return text.trim() === "" ? [] : [toMessage(role, text.trim())];
  }
  return role === "assistant" ? parseAnswer(text, skips) : [];
}

function isImage(file: unknown): boolean {
  return isObject(file) && file.type === "image";
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return listIn(content)
    .map((part) => (isObject(part) ? textIn(part.text) : undefined))
    .filter((text) => text !== undefined)
    .join("\n\n");
}

const DETAILS =
  /<details\s+type="(\w+)"[^>]*>\s*(?:<summary>[\s\S]*?<\/summary>)?([\s\S]*?)<\/details>/g;

/** Separates reasoning and calls, which are embedded in the text as HTML. */
function parseAnswer(content: string, skips: SkipCounter): readonly ImportedItem[] {
  const thoughts: string[] = [];
  const text = content.replace(DETAILS, (_whole, type: string, inner: string) => {
    if (type === "reasoning") thoughts.push(unquote(inner));
    else skips.add("calls of tools", "they belong to tools of Open WebUI");
    return "";
  });
  const reasoning = thoughts.filter((thought) => thought !== "").join("\n\n");
  return [
    ...(reasoning === "" ? [] : [toReasoning(reasoning)]),
    ...(text.trim() === "" ? [] : [toMessage("assistant", text.trim())]),
  ];
}

/** Removes the quotation marks of Markdown, which are escaped in some releases. */
function unquote(text: string): string {
  return text.replace(/^(?:>|&gt;) ?/gm, "").trim();
}
