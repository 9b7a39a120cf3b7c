import type { StoredItem } from "../../../api/responses/item-schema.js";
import type { ConversationObject } from "../../../api/responses/response-schema.js";

/** Identifies exported files. */
export const FILE_FORMAT = "ggufd.conversations";
export const FILE_VERSION = 1;

/** An item, or a reference to one that is earlier in the file. */
type ExportedItem = StoredItem | { readonly type: "item_reference"; readonly id: string };

interface ExportedConversation
  extends Pick<ConversationObject, "id" | "created_at" | "updated_at" | "metadata"> {
  readonly items: readonly ExportedItem[];
}

/** Content of an exported file. Branches are separate conversations, as on the server. */
export interface ExportFile {
  readonly format: typeof FILE_FORMAT;
  readonly version: typeof FILE_VERSION;
  /** Unix time in seconds. */
  readonly exported_at: number;
  readonly conversations: readonly ExportedConversation[];
}

/** A conversation with its items. */
export interface WholeConversation {
  readonly conversation: ConversationObject;
  readonly items: readonly StoredItem[];
}

/** @param now milliseconds since 1970 */
export function toExportFile(whole: readonly WholeConversation[], now: number): ExportFile {
  const written = new Set<string>();
  const toExportedItem = (item: StoredItem): ExportedItem => {
    if (written.has(item.id)) return { type: "item_reference", id: item.id };
    written.add(item.id);
    return item;
  };
  return {
    format: FILE_FORMAT,
    version: FILE_VERSION,
    exported_at: Math.floor(now / 1000),
    conversations: whole.map(({ conversation, items }) => {
      const { id, created_at, updated_at, metadata } = conversation;
      return { id, created_at, updated_at, metadata, items: items.map(toExportedItem) };
    }),
  };
}

const MAX_NAME_LENGTH = 60;

/** Builds the name of a file from a title. */
export function toFileName(title: string, extension: string): string {
  const words = title.normalize("NFC").match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const name = [...words.join("-")].slice(0, MAX_NAME_LENGTH).join("");
  return `${name === "" ? "chat" : name}.${extension}`;
}
