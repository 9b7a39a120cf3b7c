import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { hasText, LazyList } from "../core/json.js";

declare module "fastify" {
  interface FastifyReply {
    /** The answer, if it is printed in chunks. */
    largeAnswer: object | undefined;
  }
}

/**
 * Characters printed per event-loop turn, 1 to 2 ms. Printing a million tokens takes seconds, which
 * would stall the streams of other clients.
 */
const CHARACTERS_PER_TURN = 32 * 1024;
/** Cost of serialising a JSON value, in characters of text that take the same time. */
const CHARACTERS_PER_VALUE = 8;

/** Prints a value as JSON text. */
export type PrintJson = (value: unknown) => string;

const printPlain: PrintJson = (value) => JSON.stringify(value);

/**
 * Sends large answers of all routes in chunks, with an event-loop turn between them and
 * backpressure. Small answers are sent unchanged. An answer is plain data, with {@link LazyList}s
 * for long lists.
 */
export function sendLargeAnswersInChunks(app: FastifyInstance): void {
  app.decorateReply("largeAnswer", undefined);
  app.addHook<object>("preSerialization", (_request, reply, answer, done) => {
    if (isSmall(answer)) {
      done(null, answer);
      return;
    }
    reply.largeAnswer = answer;
    // An empty placeholder, replaced below.
    done(null, {});
  });
  app.addHook("onSend", (_request, reply, printed, done) => {
    const { largeAnswer } = reply;
    reply.largeAnswer = undefined;
    done(null, largeAnswer === undefined ? printed : Readable.from(printInChunks(largeAnswer)));
  });
}

/**
 * The JSON text of an answer for dialects with their own printer; a stream if the answer is large.
 */
export function printAnswer(answer: object, print: PrintJson): string | Readable {
  return isSmall(answer) ? print(answer) : Readable.from(printInChunks(answer, print));
}

/**
 * Prints an answer as JSON in chunks, with an event-loop turn between them.
 * @param print prints small values, keys and parts of strings
 */
export async function* printInChunks(
  answer: unknown,
  print: PrintJson = printPlain,
): AsyncGenerator<string, void> {
  let piece = "";
  for (const part of printParts(answer, print)) {
    piece += part;
    if (piece.length < CHARACTERS_PER_TURN) continue;
    yield piece;
    piece = "";
    await setImmediate();
  }
  yield piece;
}

/** Prints a value as JSON in parts of at most one event-loop turn each. */
function* printParts(value: unknown, print: PrintJson): Generator<string, void> {
  const list = listOf(value);
  if (isSmall(value)) yield print(value) ?? "null";
  else if (typeof value === "string") yield* printText(value, print);
  else if (list !== undefined) yield* printItems(list, print);
  else if (hasText(value as object)) yield print(value);
  else yield* printMembers(value as object, print);
}

/** A value that JSON prints as an array; `undefined`: it is not an array. */
function listOf(value: unknown): Pick<LazyList<unknown>, "length" | "itemAt"> | undefined {
  if (value instanceof LazyList) return value;
  if (!Array.isArray(value)) return undefined;
  return { length: value.length, itemAt: (index) => value[index] };
}

function* printItems(
  { length, itemAt }: Pick<LazyList<unknown>, "length" | "itemAt">,
  print: PrintJson,
): Generator<string, void> {
  yield "[";
  for (let index = 0; index < length; index++) {
    if (index > 0) yield ",";
    yield* printParts(itemAt(index), print);
  }
  yield "]";
}

function* printMembers(value: object, print: PrintJson): Generator<string, void> {
  let separator = "{";
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${separator}${print(key)}:`;
    yield* printParts(member, print);
    separator = ",";
  }
  yield "}";
}

function* printText(text: string, print: PrintJson): Generator<string, void> {
  yield '"';
  for (let start = 0; start < text.length; ) {
    let end = start + CHARACTERS_PER_TURN;
    // Surrogate pairs are not split.
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end--;
    yield print(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}

/** Whether a value prints within one event-loop turn. Measuring stops at that limit. */
export function isSmall(value: unknown): boolean {
  return countRemaining(value, CHARACTERS_PER_TURN) >= 0;
}

/** Remaining characters after printing a value; negative if the value does not fit. */
function countRemaining(value: unknown, characters: number): number {
  let left = characters - CHARACTERS_PER_VALUE;
  if (typeof value === "string") return left - value.length;
  if (typeof value !== "object" || value === null) return left;
  const list = listOf(value);
  if (list !== undefined) {
    for (let index = 0; index < list.length && left >= 0; index++) {
      const item = list.itemAt(index);
      // Without a call per number, a vector is measured in a third of the time.
      left = typeof item === "number" ? left - CHARACTERS_PER_VALUE : countRemaining(item, left);
    }
    return left;
  }
  for (const [key, member] of Object.entries(value)) {
    if (left < 0) return left;
    left = countRemaining(member, left - key.length);
  }
  return left;
}
