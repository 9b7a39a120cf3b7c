/**
 * Requests of `stalls`. Bodies are JSON written as text rather than serialised, so that they can
 * have arbitrary escapes and faults, and are built quickly.
 */
import {
  MAX_JSON_DEPTH,
  MAX_JSON_MEMBERS,
  MAX_JSON_VALUES,
  measureJsonSize,
} from "../../src/core/json-size.js";
import { MAX_MESSAGES } from "../../src/core/prompt-size.js";

/** Limits of ggufd's requests (docs/api.md). */
export const limits = {
  /** Default of `--max-body`. */
  bytes: 4 * 1024 * 1024,
  /** JSON values in a body. */
  values: MAX_JSON_VALUES,
  /** Members of an object in a body. */
  members: MAX_JSON_MEMBERS,
  /** Levels of nesting. */
  depth: MAX_JSON_DEPTH,
  // Bounds of collections, from `src/api/openai/schema.ts`.
  messages: MAX_MESSAGES,
  /** Text parts of one message. */
  parts: 1_000,
  /** Tool calls of one message. */
  toolCalls: 1_000,
  tools: 1_000,
  logitBiases: 10_000,
  templateVariables: 1_000,
} as const;

/** Texts of control tokens of ChatML and of GPT-2's vocabulary. */
export const CONTROL_TOKENS = "<|im_end|><|endoftext|>";

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
interface ListBounds {
  /** Maximum number of JSON values in the whole body. */
  readonly values: number;
  /** Maximum number of items in the list. */
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

/** Request that costs a server far more than its client. */
export interface WorstRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /**
   * Path, including the query. `{id}`, here and in the body, is replaced by the id of the prepared
   * object.
   */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: no body. */
  readonly body?: BodyBuilder;
  /**
   * `pipelined`: many times on one connection without waiting for answers, for requests that are
   * cheap to answer.
   * @default "once"
   */
  readonly sent?: "once" | "pipelined";
  readonly prepared?: PreparedRequest;
}

/** Request sent before the measured one, unobserved, to create the data that it refers to. */
export interface PreparedRequest {
  readonly path: string;
  readonly body: BodyBuilder;
  /** @default 1 */
  readonly times?: number;
}

/** Requests by name. */
export type WorstRequests = Readonly<Record<string, WorstRequest>>;

/** Builds requests that post each body to a route; their names begin with it. */
export function posted(path: string, bodies: Readonly<Record<string, BodyBuilder>>): WorstRequests {
  return Object.fromEntries(
    Object.entries(bodies).map(([name, body]) => [
      `${path}: ${name}`,
      { method: "POST", path, body },
    ]),
  );
}

/** Builds a body whose placeholder `…` is replaced by a text that fills it. */
export function filling(unit: string, template: string, share = 1): BodyBuilder {
  return ({ bytes }) => filled(share * bytes, unit, (text) => template.replaceAll("…", () => text));
}

/**
 * Builds a body whose placeholder `…` is replaced by as many items as allowed. In an item, `{i}` is
 * its number.
 */
export function listing(item: string, template: string, items = Infinity): BodyBuilder {
  return ({ values }) =>
    listed(
      { values, items },
      (index) => item.replaceAll("{i}", () => String(index)),
      (all) => template.replace("…", () => all),
    );
}
