import type { AssistantMessage, Conversation, Tool, ToolCall } from "./conversation.js";
import { json } from "./json.js";

/** Section of rendered text; `learn` marks text that the model is to generate. */
export interface Segment {
  readonly text: string;
  readonly learn: boolean;
}

/**
 * Tool signature in the prompt: name and arguments in the notation of a call, so that the model
 * only has to copy.
 */
function signature(tool: Tool): string {
  return json({
    name: tool.name,
    arguments: { ...tool.parameters },
    description: tool.description,
  });
}

function systemBlock({ system = "", tools = [], thinking = false }: Conversation): string {
  const parts: string[] = [];
  if (system !== "") parts.push(system);
  if (tools.length > 0)
    parts.push(`Tools:\n<tools>\n${tools.map((tool) => `${signature(tool)}\n`).join("")}</tools>`);
  if (thinking) parts.push("Think before you answer.");
  return parts.length === 0 ? "" : `<|im_start|>system\n${parts.join("\n\n")}<|im_end|>\n`;
}

function callText(call: ToolCall): string {
  const body = json({ name: call.name, arguments: { ...call.arguments } });
  return `<tool_call>\n${body}\n</tool_call>`;
}

/** Text of an assistant's message after its header. */
export function assistantText(message: AssistantMessage): string {
  return [message.content, ...(message.calls ?? []).map(callText)]
    .filter((part) => part !== "")
    .join("\n");
}

/**
 * Renders the conversation like `chat-template.jinja`, split where learning starts and stops. With
 * thinking on, only the last answer is learnt: earlier reasoning is not repeated.
 */
export function render(conversation: Conversation): Segment[] {
  const { messages, thinking = false } = conversation;
  const segments: Segment[] = [{ text: systemBlock(conversation), learn: false }];
  messages.forEach((message, i) => {
    if (message.role === "user") {
      segments.push({ text: `<|im_start|>user\n${message.content}<|im_end|>\n`, learn: false });
    } else if (message.role === "tool") {
      const first = messages[i - 1]?.role !== "tool";
      const last = messages[i + 1]?.role !== "tool";
      const body = `\n<tool_response>\n${message.content}\n</tool_response>`;
      segments.push({
        text: `${first ? "<|im_start|>user" : ""}${body}${last ? "<|im_end|>\n" : ""}`,
        learn: false,
      });
    } else {
      const final = i === messages.length - 1;
      const thought = thinking && final ? `<think>\n${message.reasoning ?? ""}\n</think>\n\n` : "";
      segments.push({ text: "<|im_start|>assistant\n", learn: false });
      segments.push({
        text: `${thought}${assistantText(message)}<|im_end|>`,
        learn: final || !thinking,
      });
      segments.push({ text: "\n", learn: false });
    }
  });
  return segments.filter(({ text }) => text !== "");
}
