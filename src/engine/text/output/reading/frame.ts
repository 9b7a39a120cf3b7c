import type { HeadPart, ParameterPart } from "../conventions/convention.js";
import { takeLiteral } from "./literal.js";
import { hasCharacter, type OutputBuffer, type Reading, tentatively } from "./output-buffer.js";

/** What differs from call to call, as a frame holds it. */
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
/** Kimi's ids, which hold the function's name. */
const QUALIFIED_NAME = /^(?:functions\.)?(.+):\d+$/;

/** Reads a frame. `mismatched` and `cut`: it is not there, or the output ends in it. */
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
    const value = frameValue(part, text);
    if (value === undefined) return buffer.position < buffer.end ? "mismatched" : "cut";
    values = { ...values, ...value };
  }
  return values;
}

function frameValue(part: Variable, text: string): FrameValues | undefined {
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
    if (end !== undefined && (yield* isAt(buffer, end))) break;
    const character = buffer.characterAt(buffer.position);
    if (buffer.isHidden(buffer.position) || !allowed.test(character)) break;
    text += character;
    buffer.position++;
  }
  return text;
}

function* isAt(buffer: OutputBuffer, literal: string): Reading<boolean> {
  return (yield* tentatively(buffer, takeLiteral(buffer, literal), () => false)) === "matched";
}
