/** Conversations that were read from a file. */

/** An item as sent to the server. Branches share the objects of their common items. */
export type ImportedItem = Readonly<Record<string, unknown>>;

export interface ImportedBranch {
  readonly items: readonly ImportedItem[];
  /** In addition to that of the conversation. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly times?: ImportedTimes;
}

/** Unix times in seconds; absent: unknown. */
export interface ImportedTimes {
  readonly createdAt?: number | undefined;
  readonly updatedAt?: number | undefined;
}

/** A conversation with all its branches. */
export interface ImportedConversation {
  readonly title: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly times: ImportedTimes;
  /** The one to show comes last, unless their times say otherwise. */
  readonly branches: readonly ImportedBranch[];
}

/** Content of a file that is not imported. */
export interface Skipped {
  /** Noun in the plural, such as "images". */
  readonly what: string;
  readonly why: string;
  readonly count: number;
}

/** Conversations of a file, and what it has that cannot be imported. */
export interface ParsedConversations {
  readonly conversations: readonly ImportedConversation[];
  readonly skipped: readonly Skipped[];
}

/** Content of a file. */
export interface ParsedImport extends ParsedConversations {
  /** Name of the program that wrote the file. */
  readonly source: "ggufd" | "ChatGPT" | "Open WebUI";
}

/** A file cannot be imported; the message is shown to the user. */
export class ImportError extends Error {
  override readonly name = "ImportError";
}

/** Counts content that is not imported. */
export class SkipCounter {
  readonly #counts = new Map<string, Skipped>();

  add(what: string, why: string, count = 1): void {
    if (count === 0) return;
    const before = this.#counts.get(what)?.count ?? 0;
    this.#counts.set(what, { what, why, count: before + count });
  }

  list(): readonly Skipped[] {
    return [...this.#counts.values()];
  }
}

/** Maximum length of a title, as when it is entered. */
const TITLE_CHARACTERS = 200;

/** Returns the title of an imported conversation, or a default. */
export function toTitle(title: unknown): string {
  const text = typeof title === "string" ? title.trim() : "";
  return text === "" ? "Untitled chat" : [...text].slice(0, TITLE_CHARACTERS).join("");
}

/** Creates a message item. */
export function toMessage(role: "user" | "assistant" | "system", text: string): ImportedItem {
  const type = role === "assistant" ? "output_text" : "input_text";
  return { type: "message", role, content: [{ type, text }] };
}

/** Creates a reasoning item. */
export function toReasoning(text: string): ImportedItem {
  return { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text }] };
}

/** An object of parsed JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a non-empty string of parsed JSON. */
export function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the elements of an array of parsed JSON; none for other values. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** From this number on, times are in milliseconds, microseconds or nanoseconds. */
const LATEST_SECONDS = 1e11;

/** Converts a time in any unit to Unix seconds; `undefined`: it is not a time. */
export function toUnixSeconds(value: unknown): number | undefined {
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) return undefined;
  let seconds = value;
  while (seconds >= LATEST_SECONDS) seconds /= 1000;
  return Math.floor(seconds);
}

/**
 * Parses the conversations of an export; values that are none are counted as skipped.
 * @param parse returns `undefined` for a conversation without messages
 */
export function parseConversations(
  values: readonly unknown[],
  isConversation: (value: unknown) => value is JsonObject,
  parse: (value: JsonObject, skips: SkipCounter) => ImportedConversation | undefined,
): ParsedConversations {
  const skips = new SkipCounter();
  const conversations = values.flatMap((value) => {
    const conversation = isConversation(value) ? parse(value, skips) : undefined;
    if (conversation !== undefined) return [conversation];
    skips.add("chats", "they have no messages");
    return [];
  });
  return { conversations, skipped: skips.list() };
}
