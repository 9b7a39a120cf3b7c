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
  const { member, maxElementBytes, maxBytes } = options;
  const opening = new RegExp(`^\\s*\\{(?:.*[,{])?\\s*${JSON.stringify(member)}\\s*:\\s*$`, "s");
  let rest = "";
  let element: Buffer[] = [];
  let elementBytes = 0;
  let totalBytes = 0;
  let depth = 0;
  let count = 0;
  let state: "before" | "inside" | "after" = "before";
  let isString = false;
  let isEscaped = false;
  const addElement = (piece: Buffer) => {
    elementBytes += piece.length;
    if (elementBytes > maxElementBytes) {
      throw createTooLargeError(`${member}.${count}`, maxElementBytes);
    }
    element.push(Buffer.from(piece));
  };
  const addRest = (piece: Buffer) => {
    rest += piece.toString("latin1");
    if (rest.length > MAX_REST_BYTES) throw createTooLargeError("body", MAX_REST_BYTES);
  };
  for await (const chunk of source) {
    totalBytes += chunk.length;
    if (totalBytes > maxBytes) throw createTooLargeError("body", maxBytes);
    let start = 0;
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index];
      if (isString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isString = false;
        continue;
      }
      switch (byte) {
        case QUOTE:
          isString = true;
          break;
        case OPEN_OBJECT:
          depth++;
          break;
        case CLOSE_OBJECT:
          depth--;
          break;
        case OPEN_ARRAY:
          depth++;
          if (depth !== 2 || state !== "before") break;
          addRest(chunk.subarray(start, index));
          start = index;
          if (!opening.test(rest)) break;
          addRest(chunk.subarray(index, index + 1));
          start = index + 1;
          state = "inside";
          break;
        case CLOSE_ARRAY:
        case COMMA: {
          if (byte === CLOSE_ARRAY) depth--;
          const isEnd = byte === CLOSE_ARRAY && depth === 1;
          if (state !== "inside" || !(isEnd || (byte === COMMA && depth === 2))) break;
          addElement(chunk.subarray(start, index));
          const whole = Buffer.concat(element, elementBytes);
          element = [];
          elementBytes = 0;
          start = isEnd ? index : index + 1;
          if (isEnd) state = "after";
          if (isEnd && count === 0 && whole.toString("latin1").trim() === "") break;
          yield whole;
          count++;
          break;
        }
      }
    }
    if (state === "inside") addElement(chunk.subarray(start));
    else addRest(chunk.subarray(start));
  }
  try {
    return JSON.parse(rest);
  } catch (cause) {
    throw new GgufdError("invalid_json", "body: expected JSON.", { cause });
  }
}
