import type { JsonType, ReadableMember, ReadableValue } from "../../../../core/output-format.js";
import { KEY } from "../conventions/convention.js";
import { escapeJson, type ValueEnd } from "./json-value.js";
import { toJsonValue } from "./literal-value.js";
import { isNext, readFrame, readTextUntil, takeExactly } from "./marks.js";
import { attempt, type OutputBuffer, type Reading, skipSpace } from "./output-buffer.js";
import type { CallWriter } from "./output-parts.js";

export interface ElementsOptions {
  /** Text before each tag. */
  readonly mark: string;
  /** The text after the last parameter. */
  readonly close: string;
  /** Known properties of the parameters. */
  readonly members: readonly ReadableMember[] | undefined;
}

type Pass = (text: string) => void;

const MAX_DEPTH = 256;
/** The tag of an array's items. */
const ITEM = "item";

/** Reads parameters written in tags of their names, and passes them on as a JSON object. */
export function* readElementArguments(
  buffer: OutputBuffer,
  { mark, close, members }: ElementsOptions,
  writer: CallWriter,
): Reading<ValueEnd> {
  const reader = new ElementReader(buffer, mark, writer.write);
  for (;;) {
    const tag = yield* reader.takeOpeningTag();
    if (tag === "cut") return "cut";
    if (tag === "mismatched") {
      if (!writer.hasBegun && !(yield* isNext(buffer, close))) return "malformed";
      writer.begin("{");
      writer.write("}");
      return "complete";
    }
    const member = `${writer.hasBegun ? "," : ""}"${escapeJson(tag.name)}":`;
    writer.begin("{");
    writer.write(member);
    const end = yield* reader.readValue(tag.name, memberOf(members, tag.name), 0);
    if (end !== "complete") return end;
  }
}

interface Tag {
  readonly name: string;
}

class ElementReader {
  readonly #buffer: OutputBuffer;
  readonly #mark: string;
  readonly #pass: Pass;

  constructor(buffer: OutputBuffer, mark: string, pass: Pass) {
    this.#buffer = buffer;
    this.#mark = mark;
    this.#pass = pass;
  }

  /** Takes the tag that begins an element, if it comes next. */
  takeOpeningTag(): Reading<Tag | "mismatched" | "cut"> {
    return attempt(this.#buffer, this.#readTag(), (tag) => typeof tag !== "string");
  }

  *#readTag(): Reading<Tag | "mismatched" | "cut"> {
    yield* skipSpace(this.#buffer);
    const frame = yield* readFrame(this.#buffer, [`${this.#mark}<`, KEY, ">"]);
    if (typeof frame === "string") return frame;
    const { key: name = "" } = frame;
    return name.startsWith("/") ? "mismatched" : { name };
  }

  /** Reads a value up to and including the tag that ends its element. */
  *readValue(name: string, known: ReadableValue | undefined, depth: number): Reading<ValueEnd> {
    const types = known?.types;
    if (types?.length === 1 && types[0] === "string") return yield* this.#readString(name);
    let text = "";
    const mark = yield* readTextUntil(this.#buffer, [this.#mark], (piece) => {
      text += piece;
    });
    if (mark === undefined) return "cut";
    const closing = yield* this.#takeClosingTag(name);
    if (closing === "cut") return "cut";
    if (closing === "matched") {
      this.#pass(text === "" ? toEmptyValue(types) : toJsonValue(text, types));
      return "complete";
    }
    if (text.trim() !== "" || depth === MAX_DEPTH) return "malformed";
    return yield* this.#readElements(name, known, depth);
  }

  /** Reads the elements of an array or an object. */
  *#readElements(name: string, known: ReadableValue | undefined, depth: number): Reading<ValueEnd> {
    const first = yield* this.takeOpeningTag();
    if (typeof first === "string") return toValueEnd(first);
    const isArray = first.name === ITEM && mayBeArray(known);
    this.#pass(isArray ? "[" : "{");
    let tag: Tag | "mismatched" | "cut" = first;
    for (let count = 0; typeof tag !== "string"; count++) {
      if (isArray && tag.name !== ITEM) return "malformed";
      const key = isArray ? "" : `"${escapeJson(tag.name)}":`;
      this.#pass(count === 0 ? key : `,${key}`);
      const inner = isArray ? known?.items : memberOf(known?.members, tag.name);
      const end = yield* this.readValue(tag.name, inner, depth + 1);
      if (end !== "complete") return end;
      tag = yield* this.takeOpeningTag();
    }
    const end = tag === "cut" ? "cut" : yield* this.#readEnd(name);
    if (end === "complete") this.#pass(isArray ? "]" : "}");
    return end;
  }

  *#readEnd(name: string): Reading<ValueEnd> {
    yield* skipSpace(this.#buffer);
    const closing = yield* this.#takeClosingTag(name);
    return closing === "matched" ? "complete" : toValueEnd(closing);
  }

  *#readString(name: string): Reading<ValueEnd> {
    this.#pass('"');
    const closing = this.#formatClosingTag(name);
    const found = yield* readTextUntil(this.#buffer, [closing], (text) =>
      this.#pass(escapeJson(text)),
    );
    if (found === undefined) return "cut";
    this.#buffer.position += found.length;
    this.#pass('"');
    return "complete";
  }

  #takeClosingTag(name: string) {
    const reading = takeExactly(this.#buffer, this.#formatClosingTag(name));
    return attempt(this.#buffer, reading, (match) => match !== "mismatched");
  }

  #formatClosingTag(name: string): string {
    return `${this.#mark}</${name}>`;
  }
}

function toValueEnd(match: "mismatched" | "cut"): ValueEnd {
  return match === "cut" ? "cut" : "malformed";
}

function memberOf(
  members: readonly ReadableMember[] | undefined,
  name: string,
): ReadableValue | undefined {
  return members?.find((member) => member.name === name);
}

/** Returns whether `item` tags are those of an array: an object may have a member of that name. */
function mayBeArray(known: ReadableValue | undefined): boolean {
  if (known === undefined) return true;
  return known.types.includes("array") && memberOf(known.members, ITEM) === undefined;
}

/** Returns the value of an empty element: an empty string if that is allowed. */
function toEmptyValue(types: readonly JsonType[] | undefined): string {
  if (types === undefined || types.includes("string")) return '""';
  if (types.includes("object")) return "{}";
  if (types.includes("array")) return "[]";
  return types.includes("null") ? "null" : '""';
}
