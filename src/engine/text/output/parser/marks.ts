import type { HeadPart, ParameterPart } from "../conventions/convention.js";
import {
  attempt,
  hasCharacter,
  type OutputBuffer,
  type Reading,
  skipSpace,
} from "./output-buffer.js";
import type { PassText } from "./output-parts.js";

/**
 * Reads text up to the first mark, which is not consumed; at equal positions, the longest mark.
 * Text is passed on as soon as it cannot be part of a mark.
 * @returns the mark; `undefined` if the output has ended
 */
export function* readTextUntil(
  buffer: OutputBuffer,
  marks: readonly string[],
  pass: PassText,
): Reading<string | undefined> {
  const longestFirst = marks.toSorted((a, b) => b.length - a.length);
  const passVisible = (start: number) =>
    pass(buffer.sliceVisible(start, buffer.position), buffer.visibleOffsetOf(start));
  for (;;) {
    const start = buffer.position;
    while (buffer.position < buffer.end && !mayBegin(buffer, longestFirst)) buffer.position++;
    if (buffer.position > start) passVisible(start);
    if (!(yield* hasCharacter(buffer, buffer.position))) return undefined;
    const found = yield* findMarkAt(buffer, longestFirst);
    if (found !== undefined) return found;
    buffer.position++;
    passVisible(buffer.position - 1);
  }
}

/** Returns whether the text at the position may be one of these marks, as far as it has arrived. */
function mayBegin(buffer: OutputBuffer, marks: readonly string[]): boolean {
  const available = buffer.end - buffer.position;
  return marks.some((mark) => buffer.startsWith(mark.slice(0, available), buffer.position));
}

/** Returns the mark at the position. Waits while a longer mark is still possible. */
function* findMarkAt(
  buffer: OutputBuffer,
  longestFirst: readonly string[],
): Reading<string | undefined> {
  for (const mark of longestFirst) {
    while (!buffer.startsWith(mark, buffer.position)) {
      const available = buffer.end - buffer.position;
      const isOpen = available < mark.length && !buffer.hasEnded;
      if (!isOpen || !buffer.startsWith(mark.slice(0, available), buffer.position)) break;
      buffer.forget();
      yield;
    }
    if (buffer.startsWith(mark, buffer.position)) return mark;
  }
  return undefined;
}

/** `cut`: the output ended while it still matched. */
export type Match = "matched" | "mismatched" | "cut";

const segmentsByLiteral = new Map<string, readonly string[]>();

/**
 * Positions in a literal where white space is optional: at its own white space, around a list's
 * bracket, and before a key or a colon of JSON.
 */
const OPTIONAL_SPACE = /\s+|(?<=\S)(?=\[$)|(?<=^\])(?!<\])(?=\S)|(?<=\{)(?=")|(?<=")(?=:)/;

/** Splits a literal into texts that may be separated by any white space. */
function splitLiteral(literal: string): readonly string[] {
  let segments = segmentsByLiteral.get(literal);
  if (segments === undefined) {
    segments = literal.split(OPTIONAL_SPACE);
    segmentsByLiteral.set(literal, segments);
  }
  return segments;
}

/** Returns the text by which a literal is recognised, which ends at its first white space. */
export function markOf(literal: string): string {
  return splitLiteral(literal).find((segment) => segment !== "") ?? "";
}

/** Returns the first text of a literal that is rare elsewhere, i.e. not a single brace. */
export function distinctiveMarkOf(literal: string): string {
  return splitLiteral(literal).find((segment) => segment !== "" && segment !== "{") ?? "";
}

/** Takes a literal, with more or less white space. Consumes nothing if it is absent. */
export function takeLiteral(buffer: OutputBuffer, literal: string): Reading<Match> {
  return attempt(
    buffer,
    takeSegments(buffer, splitLiteral(literal)),
    (match) => match !== "mismatched",
  );
}

/** Returns whether a literal comes next, apart from white space. Consumes nothing. */
export function* isNext(buffer: OutputBuffer, literal: string): Reading<boolean> {
  const segments = ["", ...splitLiteral(literal)];
  const match = yield* attempt(buffer, takeSegments(buffer, segments), () => false);
  return match === "matched";
}

/** Takes texts with any white space between them. */
function* takeSegments(buffer: OutputBuffer, segments: readonly string[]): Reading<Match> {
  for (const [index, segment] of segments.entries()) {
    if (index > 0) yield* skipSpace(buffer);
    const match = yield* takeExactly(buffer, segment);
    if (match !== "matched") return match;
  }
  return "matched";
}

/** Takes a text exactly; consumes nothing on `mismatched`. */
export function* takeExactly(buffer: OutputBuffer, text: string): Reading<Match> {
  for (let offset = 0; offset < text.length; offset++) {
    const position = buffer.position + offset;
    if (!(yield* hasCharacter(buffer, position))) {
      buffer.position = buffer.end;
      return "cut";
    }
    if (buffer.characterAt(position) !== text[offset]) return "mismatched";
  }
  buffer.position += text.length;
  return "matched";
}

/** The variables of a frame. */
export interface FrameValues {
  readonly name?: string;
  readonly id?: string;
  readonly key?: string;
  readonly kind?: "string" | "json";
}

type FramePart = HeadPart | ParameterPart;
type Variable = Exclude<FramePart, string>;

const MAX_LENGTH = 256;
const ALLOWED: Readonly<Record<Variable["part"], RegExp>> = {
  name: /[\w.-]/,
  id: /[\w.:-]/,
  "qualified-name": /[\w.:-]/,
  index: /\d/,
  key: /[^\n]/,
  kind: /\w/,
};
/** Kimi's ids, which contain the function's name. */
const QUALIFIED_NAME = /^(?:functions\.)?(.+):\d+$/;

/** Reads a frame. `mismatched`: it is absent. `cut`: the output ends in it. */
export function* readFrame(
  buffer: OutputBuffer,
  frame: readonly FramePart[],
): Reading<FrameValues | "mismatched" | "cut"> {
  let values: FrameValues = {};
  for (const [index, part] of frame.entries()) {
    if (typeof part === "string") {
      const match = yield* takeLiteral(buffer, part);
      if (match !== "matched") return match;
      continue;
    }
    const text = yield* takeVariable(buffer, ALLOWED[part.part], frame[index + 1]);
    const value = parseFrameValue(part, text);
    if (value === undefined) return buffer.position < buffer.end ? "mismatched" : "cut";
    values = { ...values, ...value };
  }
  return values;
}

function parseFrameValue(part: Variable, text: string): FrameValues | undefined {
  if (text === "") return undefined;
  switch (part.part) {
    case "name":
      return { name: text };
    case "id":
      return { id: text };
    case "qualified-name": {
      const [, name] = QUALIFIED_NAME.exec(text) ?? [];
      return name === undefined ? undefined : { name, id: text };
    }
    case "key":
      return { key: text };
    case "kind":
      if (text === part.string) return { kind: "string" };
      return part.json.includes(text) ? { kind: "json" } : undefined;
    case "index":
      return {};
  }
}

/** Takes allowed characters up to the next part of the frame. */
function* takeVariable(
  buffer: OutputBuffer,
  allowed: RegExp,
  next: FramePart | undefined,
): Reading<string> {
  const end = typeof next === "string" && next.trim() !== "" ? next : undefined;
  let text = "";
  while (text.length < MAX_LENGTH && (yield* hasCharacter(buffer, buffer.position))) {
    if (end !== undefined && (yield* isLiteralNext(buffer, end))) break;
    const character = buffer.characterAt(buffer.position);
    if (buffer.isHidden(buffer.position) || !allowed.test(character)) break;
    text += character;
    buffer.position++;
  }
  return text;
}

function* isLiteralNext(buffer: OutputBuffer, literal: string): Reading<boolean> {
  return (yield* attempt(buffer, takeLiteral(buffer, literal), () => false)) === "matched";
}
