import { GgufdError } from "../../../core/errors.js";
import { shortenedName } from "../../../core/shortened-name.js";
import { rejectLongConversation } from "./conversation-limit.js";
import type { InputItem } from "./item-schema.js";
import { newId } from "./new-id.js";
import type { ToolName } from "./offered-tools.js";
import type { StoredItem } from "./response-schema.js";
import type { ResponseRequest } from "./schema.js";

/** Finds a stored item by its id. */
export type FindItem = (id: string) => StoredItem | undefined;

type CallOutput = Extract<InputItem, { output: unknown }>;
type Message = Extract<InputItem, { role: unknown }>;
type Part = Exclude<Message["content"], string>[number];

/**
 * The input of a request as items that can be kept: with ids, and with references resolved.
 * @param field where the request has them
 * @throws {GgufdError} `not_found` for a reference to an item that is not stored, `invalid_request` for more of
 *   these than a conversation may have
 */
export function toItems(
  input: NonNullable<ResponseRequest["input"]>,
  findItem: FindItem,
  field: "input" | "items",
): readonly StoredItem[] {
  if (typeof input === "string") return [toMessage({ role: "user", content: input })];
  const items = input.map((item, index) => toItem(item, `${field}.${index}`, findItem));
  const isStored = (_item: StoredItem, index: number) => input[index]?.type === "item_reference";
  const own = items.filter((item, index) => !isStored(item, index));
  rejectLongConversation(items.filter(isStored), own, field);
  return items;
}

function toItem(item: InputItem, path: string, findItem: FindItem): StoredItem {
  switch (item.type) {
    case "message":
    case undefined:
      return toMessage(item);
    case "function_call": {
      const { type, call_id, arguments: written } = item;
      const id = item.id ?? newId("fc");
      return { type, id, call_id, ...nameOf(item), arguments: written, status: "completed" };
    }
    case "custom_tool_call": {
      const { type, call_id, input } = item;
      const id = item.id ?? newId("ctc");
      return { type, id, call_id, ...nameOf(item), input, status: "completed" };
    }
    case "function_call_output":
      return { type: item.type, ...toOutput(item, "fco") };
    case "custom_tool_call_output":
      return { type: item.type, ...toOutput(item, "ctco") };
    case "reasoning": {
      const { summary, content, encrypted_content: opaque } = item;
      return {
        type: "reasoning",
        id: item.id ?? newId("rs"),
        summary: (summary ?? []).map(({ type, text }) => ({ type, text })),
        ...(content && { content: content.map(({ type, text }) => ({ type, text })) }),
        ...(opaque && { encrypted_content: opaque }),
      };
    }
    case "item_reference": {
      const found = findItem(item.id);
      if (found !== undefined) return found;
      throw new GgufdError(
        "not_found",
        `Item with id '${shortenedName(item.id)}' not found: it was not stored, or is stored no more. Send the item itself.`,
        { param: `${path}.id` },
      );
    }
  }
}

function nameOf({ name, namespace }: ToolName) {
  return { name, ...(namespace && { namespace }) };
}

function toOutput({ id, call_id, output }: CallOutput, prefix: "fco" | "ctco") {
  return {
    id: id ?? newId(prefix),
    call_id,
    output: typeof output === "string" ? output : output.map(({ text }) => toInputText(text)),
    status: "completed" as const,
  };
}

function toMessage({ id, role, content }: Pick<Message, "id" | "role" | "content">): StoredItem {
  const parts: readonly Part[] =
    typeof content === "string" ? [{ type: "input_text", text: content }] : content;
  const type = "message";
  const ownId = id ?? newId("msg");
  const status = "completed";
  return role === "assistant"
    ? { type, id: ownId, status, role, content: parts.map(toOutputPart) }
    : { type, id: ownId, status, role, content: parts.map((part) => toInputText(textOf(part))) };
}

function toOutputPart(part: Part) {
  return part.type === "refusal"
    ? { type: part.type, refusal: part.refusal }
    : { type: "output_text" as const, text: part.text, annotations: [], logprobs: [] };
}

function toInputText(text: string) {
  return { type: "input_text" as const, text };
}

function textOf(part: Part): string {
  return part.type === "refusal" ? part.refusal : part.text;
}
