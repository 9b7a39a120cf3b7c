import { createTooLargeError } from "./error-handler.js";
import { measureJson, parseJson } from "./parse-json.js";

export interface ElementsOptions {
  /** Name of the array among the members of the body. */
  readonly member: string;
  readonly maxElementBytes: number;
  readonly maxBytes: number;
}

/** Maximum size of a body without the elements. */
const MAX_REST_BYTES = 64 * 1024;

/** Length of a member's name and the white space around it. */
const TAIL_BYTES = 256;

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Reads a JSON object whose member is an array too large for memory, element by element. Returns
 * the parsed object with an empty array in place of the elements.
 * @returns the texts of the elements, which may be invalid JSON
 * @throws {GgufdError} `invalid_json`, `payload_too_large`
 */
export async function* readElements(
  source: AsyncIterable<Buffer>,
  options: ElementsOptions,
): AsyncGenerator<Buffer, unknown> {
  const scanner = new ElementScanner(options);
  let totalBytes = 0;
  for await (const chunk of source) {
    totalBytes += chunk.length;
    if (totalBytes > options.maxBytes) throw createTooLargeError("body", options.maxBytes);
    yield* scanner.scan(chunk);
  }
  const { rest } = scanner;
  measureJson(rest);
  return parseJson(rest, []).value;
}

/** A byte that begins or ends an element. */
type Mark = "opens" | "separates" | "closes";

/** Divides the text of an object into the elements of one array and the rest. */
class ElementScanner {
  readonly #options: ElementsOptions;
  readonly #opening: RegExp;
  readonly #rest: Buffer[] = [];
  #restBytes = 0;
  /** The end of the rest. */
  #tail = "";
  #element: Buffer[] = [];
  #elementBytes = 0;
  #count = 0;
  #depth = 0;
  #state: "before" | "inside" | "after" = "before";
  #string: "outside" | "inside" | "escaped" = "outside";

  constructor(options: ElementsOptions) {
    this.#options = options;
    this.#opening = new RegExp(`[,{]\\s*${JSON.stringify(options.member)}\\s*:\\s*$`);
  }

  get rest(): Buffer {
    return Buffer.concat(this.#rest);
  }

  /** Returns the elements that a chunk completes. */
  *scan(chunk: Buffer): Generator<Buffer, void> {
    let start = 0;
    for (let index = 0; index < chunk.length; index++) {
      const mark = this.#step(chunk[index] ?? 0);
      if (mark === undefined) continue;
      const piece = chunk.subarray(start, index);
      start = mark === "separates" ? index + 1 : index;
      if (mark !== "opens") {
        const element = this.#takeElement(piece, mark);
        if (element !== undefined) yield element;
      } else if (this.#opens(piece)) {
        this.#keep(chunk.subarray(index, index + 1));
        start = index + 1;
        this.#state = "inside";
      }
    }
    this.#keep(chunk.subarray(start));
  }

  /** Follows strings and nesting by one byte. */
  #step(byte: number): Mark | undefined {
    if (this.#string !== "outside") {
      this.#stepInString(byte);
      return undefined;
    }
    switch (byte) {
      case QUOTE:
        this.#string = "inside";
        return undefined;
      case OPEN_OBJECT:
        this.#depth++;
        return undefined;
      case CLOSE_OBJECT:
        this.#depth--;
        return undefined;
      case OPEN_ARRAY:
        this.#depth++;
        return this.#depth === 2 && this.#state === "before" ? "opens" : undefined;
      case CLOSE_ARRAY:
        this.#depth--;
        return this.#depth === 1 && this.#state === "inside" ? "closes" : undefined;
      case COMMA:
        return this.#depth === 2 && this.#state === "inside" ? "separates" : undefined;
      default:
        return undefined;
    }
  }

  #stepInString(byte: number): void {
    if (this.#string === "escaped") this.#string = "inside";
    else if (byte === BACKSLASH) this.#string = "escaped";
    else if (byte === QUOTE) this.#string = "outside";
  }

  /** Whether an array is that of the elements. @param piece text before it */
  #opens(piece: Buffer): boolean {
    this.#keep(piece);
    return this.#opening.test(this.#tail);
  }

  /** Ends an element. @returns `undefined` if the array is empty */
  #takeElement(piece: Buffer, mark: Mark): Buffer | undefined {
    this.#keep(piece);
    const element = Buffer.concat(this.#element, this.#elementBytes);
    this.#element = [];
    this.#elementBytes = 0;
    if (mark === "closes") this.#state = "after";
    const isFirst = this.#count++ === 0;
    const isNone = mark === "closes" && isFirst && element.every((byte) => byte <= SPACE);
    return isNone ? undefined : element;
  }

  /** Keeps a piece as a part of the element or of the rest. */
  #keep(piece: Buffer): void {
    const { member, maxElementBytes } = this.#options;
    if (this.#state === "inside") {
      this.#elementBytes += piece.length;
      if (this.#elementBytes > maxElementBytes) {
        throw createTooLargeError(`${member}.${this.#count}`, maxElementBytes);
      }
      this.#element.push(Buffer.from(piece));
      return;
    }
    this.#restBytes += piece.length;
    if (this.#restBytes > MAX_REST_BYTES) throw createTooLargeError("body", MAX_REST_BYTES);
    this.#rest.push(Buffer.from(piece));
    this.#tail = (this.#tail + piece.subarray(-TAIL_BYTES).toString("latin1")).slice(-TAIL_BYTES);
  }
}
