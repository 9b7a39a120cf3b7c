/** Export of ChatGPT: `conversations.json`, an array of conversations with trees of messages. */
import {
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

/** Whether a value is a conversation of ChatGPT's export. */
export function isChatGptConversation(value: unknown): value is JsonObject {
  return isObject(value) && isObject(value.mapping);
}

export function parseChatGpt(values: readonly unknown[]): ParsedConversations {
  return parseConversations(values, isChatGptConversation, parseConversation);
}

function parseConversation(
  { title, create_time, update_time, mapping, current_node, is_starred }: JsonObject,
  skips: SkipCounter,
): ImportedConversation | undefined {
  const nodes = Object.entries(isObject(mapping) ? mapping : {}).map(([id, node]): TreeNode => {
    const { children, message } = isObject(node) ? node : {};
    return {
      id,
      children: listIn(children).filter((child) => typeof child === "string"),
      items: isObject(message) ? parseMessage(message, skips) : [],
    };
  });
  const branches = listBranches(nodes, textIn(current_node));
  if (branches.length === 0) return undefined;
  return {
    title: toTitle(title),
    metadata: is_starred === true ? { pinned: "true" } : {},
    times: { createdAt: toUnixSeconds(create_time), updatedAt: toUnixSeconds(update_time) },
    branches,
  };
}

/** Content that describes the user or the interface, and is not part of the conversation. */
const INTERNAL_CONTENT = new Set([
  "user_editable_context",
  "model_editable_context",
  "reasoning_recap",
  "app_pairing_content",
]);

const NOT_IN_FILE = "the export does not contain them";
const TOOLS_OF_CHATGPT = "they belong to tools of ChatGPT";

function parseMessage(message: JsonObject, skips: SkipCounter): readonly ImportedItem[] {
  const { author, content, recipient, metadata } = message;
  const role = isObject(author) ? author.role : undefined;
  if (!isObject(content)) return [];
  if (isObject(metadata) && metadata.is_visually_hidden_from_conversation === true) return [];
  const type = textIn(content.content_type) ?? "text";
  if (INTERNAL_CONTENT.has(type)) return [];
  if (type === "thoughts") return parseThoughts(content);
  const { text, images, media } = parseParts(content);
  skips.add("images", NOT_IN_FILE, images);
  skips.add("audio and video clips", NOT_IN_FILE, media);
  if (role === "tool") {
    if (images === 0) skips.add("results of tools", TOOLS_OF_CHATGPT);
    return [];
  }
  if (role === "assistant" && recipient !== undefined && recipient !== "all") {
    skips.add("calls of tools", TOOLS_OF_CHATGPT);
    return [];
  }
  if (role !== "user" && role !== "assistant" && role !== "system") return [];
  if (text !== "") return [toMessage(role, text)];
  // Keeps the turn of a question that consists of an image.
  return role === "user" && images + media > 0 ? [toMessage(role, "(Image)")] : [];
}

function parseThoughts({ thoughts }: JsonObject): readonly ImportedItem[] {
  const text = listIn(thoughts)
    .map((thought) => (isObject(thought) ? textIn(thought.content) : undefined))
    .filter((content) => content !== undefined)
    .join("\n\n");
  return text === "" ? [] : [toReasoning(text)];
}

/** References to sources, which are enclosed in characters of the private use area. */
const SOURCES = /\ue200[^\ue201]*\ue201/g;

function parseParts({ parts, text }: JsonObject) {
  const texts: string[] = [];
  let [images, media] = [0, 0];
  for (const part of Array.isArray(parts) ? parts : [text]) {
    if (typeof part === "string") texts.push(part);
    if (!isObject(part)) continue;
    const type = part.content_type;
    if (type === "image_asset_pointer") images++;
    else if (type === "audio_transcription") texts.push(textIn(part.text) ?? "");
    else if (typeof type === "string" && /audio|video/.test(type)) media++;
    else texts.push(textIn(part.text) ?? "");
  }
  const whole = texts.join("\n\n").replace(SOURCES, "").trim();
  return { text: whole, images, media };
}
