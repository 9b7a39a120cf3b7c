/**
 * Chat requests as JSON text. They are written as text rather than serialised, so that a body can
 * have arbitrary escapes and faults, and is built quickly.
 */
import { measureJsonSize } from "../../src/core/json-size.js";
import { limits } from "./stalls-limits.js";

/** Sizes of the bodies of one run. */
export interface BodySizes {
  /** UTF-8 bytes of the longest bodies. */
  readonly bytes: number;
  /** Maximum number of JSON values in a body. */
  readonly values: number;
  /** Tokens per slot. */
  readonly contextSize: number;
  /** Number of copies of a pipelined request. */
  readonly pipelined: number;
  /** Text that fits into a slot. */
  readonly fittingText: string;
}

/** Function that builds a request as JSON text. */
export type BodyBuilder = (sizes: BodySizes) => string;

/** Names and values of an object; the values are JSON text. */
export type Members = Readonly<Record<string, string>>;

/** Builds a short chat request; `members` extend or replace its fields. */
export function chatBody(members: Members): string {
  return object({ messages: `[${message("Hello")}]`, max_tokens: "8", ...members });
}

/** @param content text between the quotes of a JSON string, escaped where necessary */
export function message(content: string, role = "user"): string {
  return object({ role: `"${role}"`, content: `"${content}"` });
}

/** Builds an assistant's message with tool calls, and the user's reply. */
export function messagesWithCalls(calls: string): string {
  return `${object({ role: '"assistant"', tool_calls: `[${calls}]` })},${message("a")}`;
}

/** @param args text between the quotes of a JSON string, escaped where necessary */
export function toolCall(args: string): string {
  return object({ id: '"1"', function: object({ name: '"f"', arguments: `"${args}"` }) });
}

/** Builds a tool whose function has a name and `members`. */
export function tool(name: string, members: Members = {}): string {
  return object({ type: '"function"', function: object({ name: `"${name}"`, ...members }) });
}

export function object(members: Members): string {
  const written = Object.entries(members).map(([name, json]) => `"${name}":${json}`);
  return `{${written.join(",")}}`;
}

/**
 * Builds nested JSON: `levels` times the opening text, the innermost value, and the closing texts.
 */
export function nested(levels: number, open: string, inner: string, close: string): string {
  return open.repeat(levels) + inner + close.repeat(levels);
}

/** Builds a body with as many copies of `unit` as fit into `bytes`. */
export function filled(bytes: number, unit: string, write: (text: string) => string): string {
  const room = bytes - Buffer.byteLength(write(""));
  return write(unit.repeat(Math.max(0, Math.floor(room / Buffer.byteLength(unit)))));
}

/** Writes the item of a number, from 0; all items of a list have the same number of JSON values. */
type Item = (index: number) => string;

/** Bounds of a list in a body. */
export interface ListBounds {
  /** JSON values of the whole body. */
  readonly values: number;
  /** Items of the list. */
  readonly items: number;
}

/** More than the number of members of the object that contains an item. */
const FEW = 100;

/** Builds a body with a list of as many items as its bounds allow. */
export function listed(
  { values, items }: ListBounds,
  item: Item,
  write: (items: string) => string,
): string {
  const frame = valuesIn(write(""));
  const each = valuesIn(write(`${item(0)},`)) - frame;
  // If the items are members of an object, their number is limited to the members that it may have.
  const others = sizeOf(write(listOf(FEW, item))).members - FEW;
  const areMembers = sizeOf(write(listOf(2 * FEW, item))).members - others === 2 * FEW;
  const room = areMembers ? limits.members - others : items;
  return write(listOf(Math.min(items, room, Math.floor((values - frame) / each)), item));
}

/** Builds `count` items, separated by commas. */
export function listOf(count: number, item: Item): string {
  return Array.from({ length: count }, (_, index) => item(index)).join(",");
}

const sizeOf = (json: string) => measureJsonSize(Buffer.from(json));

function valuesIn(json: string): number {
  return sizeOf(json).values;
}
