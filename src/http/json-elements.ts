import { GgufdError } from "../core/errors.js";
import { createTooLargeError } from "./error-handler.js";

export interface ElementsOptions {
  /** Name of the array among the members of the body. */
  readonly member: string;
  readonly maxElementBytes: number;
  readonly maxBytes: number;
}

/** Maximum size of a body without the elements. */
const MAX_REST_BYTES = 64 * 1024;

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
  const { maxBytes } = options;
  const reader = new ElementReader(options);
  let totalBytes = 0;
  for await (const chunk of source) {
    totalBytes += chunk.length;
    if (totalBytes > maxBytes) throw createTooLargeError("body", maxBytes);
    yield* reader.read(chunk);
  }
  return reader.end();
}

/** Divides the bytes of an object into the elements of one array and the rest. */
class ElementReader {
  readonly #options: ElementsOptions;
  /** Matches the text in front of the array. */
  readonly #opening: RegExp;
  readonly #structure = new JsonStructure();
  readonly #rest = new BoundedBytes(MAX_REST_BYTES, () => "body");
  readonly #element: BoundedBytes;
  #count = 0;
  #position: "before" | "inside" | "after" = "before";

  constructor(options: ElementsOptions) {
    const { member, maxElementBytes } = options;
    this.#options = options;
    this.#opening = new RegExp(`^\\s*\\{(?:.*[,{])?\\s*${JSON.stringify(member)}\\s*:\\s*$`, "s");
    this.#element = new BoundedBytes(maxElementBytes, () => `${member}.${this.#count}`);
  }

  /** Yields the elements that end in a chunk. */
  *read(chunk: Buffer): Generator<Buffer, void> {
    let start = 0;
    for (let index = 0; index < chunk.length; index++) {
      const mark = this.#structure.read(chunk[index] ?? 0);
      if (mark === undefined) continue;
      const { depth } = this.#structure;
      if (this.#position === "before" && mark === "array-begin" && depth === 2) {
        this.#rest.add(chunk.subarray(start, index));
        const isMember = this.#opening.test(this.#rest.text);
        this.#rest.add(chunk.subarray(index, index + 1));
        start = index + 1;
        if (isMember) this.#position = "inside";
      } else if (this.#position === "inside" && isElementEnd(mark, depth)) {
        this.#element.add(chunk.subarray(start, index));
        // The end of the array belongs to the rest.
        start = mark === "array-end" ? index : index + 1;
        yield* this.#takeElement(mark);
      }
    }
    (this.#position === "inside" ? this.#element : this.#rest).add(chunk.subarray(start));
  }

  *#takeElement(mark: Mark): Generator<Buffer, void> {
    const whole = this.#element.take();
    if (mark === "array-end") {
      this.#position = "after";
      const isEmptyArray = this.#count === 0 && whole.toString("latin1").trim() === "";
      if (isEmptyArray) return;
    }
    yield whole;
    this.#count++;
  }

  /** Returns the object without the elements. */
  end(): unknown {
    try {
      return JSON.parse(this.#rest.text);
    } catch (cause) {
      throw new GgufdError("invalid_json", "body: expected JSON.", { cause });
    }
  }
}

function isElementEnd(mark: Mark, depth: number): boolean {
  return (mark === "array-end" && depth === 1) || (mark === "comma" && depth === 2);
}

type Mark = "array-begin" | "array-end" | "comma";

/** Finds the marks of arrays outside of strings, and the depth of nesting. */
class JsonStructure {
  /** Number of open arrays and objects, after the last byte. */
  depth = 0;
  #isString = false;
  #isEscaped = false;

  read(byte: number): Mark | undefined {
    if (this.#isString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isString = false;
      return undefined;
    }
    switch (byte) {
      case QUOTE:
        this.#isString = true;
        return undefined;
      case OPEN_OBJECT:
        this.depth++;
        return undefined;
      case CLOSE_OBJECT:
        this.depth--;
        return undefined;
      case OPEN_ARRAY:
        this.depth++;
        return "array-begin";
      case CLOSE_ARRAY:
        this.depth--;
        return "array-end";
      default:
        return byte === COMMA ? "comma" : undefined;
    }
  }
}

/** Collects bytes up to a limit. */
class BoundedBytes {
  readonly #maxBytes: number;
  readonly #name: () => string;
  #pieces: Buffer[] = [];
  #bytes = 0;

  /** @param name returns the name of the field, for the error */
  constructor(maxBytes: number, name: () => string) {
    this.#maxBytes = maxBytes;
    this.#name = name;
  }

  /** @throws {GgufdError} `payload_too_large` */
  add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) throw createTooLargeError(this.#name(), this.#maxBytes);
    this.#pieces.push(Buffer.from(piece));
  }

  get text(): string {
    return Buffer.concat(this.#pieces).toString();
  }

  /** Returns and removes all bytes. */
  take(): Buffer {
    const whole = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    return whole;
  }
}
