import type { JsonType } from "../../../../core/output-format.js";
import type { ParametersSyntax } from "../conventions/convention.js";
import type { CallWriter } from "./call-writer.js";
import { type FrameValues, readFrame } from "./frame.js";
import { escapeJson, type ValueEnd } from "./json-value.js";
import { comesNext, takeLiteral } from "./literal.js";
import {
  type OutputBuffer,
  peekCharacter,
  type Reading,
  skipSpace,
  tentatively,
} from "./output-buffer.js";
import { toJsonValue } from "./parameter-value.js";
import { textUntil } from "./text-until.js";

export interface ParametersOptions {
  readonly syntax: ParametersSyntax;
  /** What comes behind the last parameter. */
  readonly close: string;
  /** Types that a parameter may have; absent: any. */
  readonly typesOf: (parameter: string) => readonly JsonType[] | undefined;
}

type Pass = (text: string) => void;

/**
 * Reads parameters that have a frame each, and passes them on as a JSON object. A parameter that can
 * only be a string is passed on as it arrives; others when they are complete.
 */
export function* readParameters(
  buffer: OutputBuffer,
  { syntax, close, typesOf }: ParametersOptions,
  writer: CallWriter,
): Reading<ValueEnd> {
  for (;;) {
    const open = yield* tentatively(buffer, readOpening(buffer, syntax), (frame) => {
      return typeof frame !== "string";
    });
    if (open === "cut") return "cut";
    if (open === "mismatched") {
      if (!writer.hasBegun && !(yield* comesNext(buffer, close))) return "malformed";
      writer.begin("{");
      writer.write("}");
      return "complete";
    }
    const { key = "", kind } = open;
    const member = `${writer.hasBegun ? "," : ""}"${escapeJson(key)}":`;
    writer.begin("{");
    const types = kind === "string" ? (["string"] as const) : typesOf(key);
    const end =
      kind !== "json" && types?.length === 1 && types[0] === "string"
        ? yield* streamString(buffer, syntax, member, writer.write)
        : yield* passValue(buffer, syntax, (value) => {
            writer.write(
              member + toJsonValue(value, kind === "json" ? withoutString(types) : types),
            );
          });
    if (end !== "complete") return end;
  }
}

const NOT_STRING: readonly JsonType[] = ["number", "boolean", "null", "object", "array"];

function withoutString(types: readonly JsonType[] = NOT_STRING): readonly JsonType[] {
  return types.filter((type) => type !== "string");
}

function* readOpening(
  buffer: OutputBuffer,
  syntax: ParametersSyntax,
): Reading<FrameValues | "mismatched" | "cut"> {
  yield* skipSpace(buffer);
  return yield* readFrame(buffer, syntax.open);
}

function* streamString(
  buffer: OutputBuffer,
  syntax: ParametersSyntax,
  member: string,
  pass: Pass,
): Reading<ValueEnd> {
  pass(`${member}"`);
  const end = yield* readText(buffer, syntax, (text) => pass(escapeJson(text)));
  if (end === "complete") pass('"');
  return end;
}

function* passValue(buffer: OutputBuffer, syntax: ParametersSyntax, pass: Pass): Reading<ValueEnd> {
  let value = "";
  const end = yield* readText(buffer, syntax, (text) => {
    value += text;
  });
  if (end === "complete") pass(value);
  return end;
}

/** Reads a value's text up to and including what closes it, without padding. */
function* readText(
  buffer: OutputBuffer,
  { close, padding, quote }: ParametersSyntax,
  pass: Pass,
): Reading<ValueEnd> {
  if (quote !== undefined && (yield* takeLiteral(buffer, quote.open)) === "matched") {
    if ((yield* takeUntil(buffer, quote.close, pass)) === "cut") return "cut";
    const match = yield* takeLiteral(buffer, close);
    return match === "matched" ? "complete" : endOf(match);
  }
  if (padding !== "" && (yield* peekCharacter(buffer)) === padding) buffer.position++;
  let held = "";
  return yield* takeUntil(buffer, close, (text) => {
    const known = held + text;
    held = padding !== "" && known.endsWith(padding) ? padding : "";
    pass(known.slice(0, known.length - held.length));
  });
}

function endOf(match: "mismatched" | "cut"): ValueEnd {
  return match === "cut" ? "cut" : "malformed";
}

function* takeUntil(buffer: OutputBuffer, close: string, pass: Pass): Reading<"complete" | "cut"> {
  const mark = yield* textUntil(buffer, [close], pass);
  if (mark === undefined) return "cut";
  buffer.position += mark.length;
  return "complete";
}
