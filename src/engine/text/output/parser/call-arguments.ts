import type { JsonType } from "../../../../core/output-format.js";
import type { CallSyntax, NamedBody, ParametersSyntax } from "../conventions/convention.js";
import { readElementArguments } from "./elements.js";
import { escapeJson, readJsonValue, type ValueEnd } from "./json-value.js";
import {
  determineEnd,
  PYTHON,
  readElements,
  readLiteralValue,
  takeWhile,
  toJsonValue,
} from "./literal-value.js";
import { type FrameValues, isNext, readFrame, readTextUntil, takeLiteral } from "./marks.js";
import {
  attempt,
  type OutputBuffer,
  peekCharacter,
  type Reading,
  skipSpace,
} from "./output-buffer.js";
import type { CallContext, CallWriter } from "./output-parts.js";

/** A call whose name has been read. */
interface NamedCall {
  readonly syntax: CallSyntax;
  readonly body: NamedBody;
  readonly name: string;
}

/** Reads the arguments of a call and passes them on as a JSON object. */
export function readArguments(
  { buffer, tools }: CallContext,
  { syntax, body, name }: NamedCall,
  writer: CallWriter,
): Reading<ValueEnd> {
  const tool = tools.find((candidate) => candidate.name === name);
  switch (body.arguments.type) {
    case "json":
      return readJsonObject(buffer, writer);
    case "keywords":
      return readKeywords(buffer, writer);
    case "marked-object":
      return readMarkedObject(buffer, body.arguments.quote, writer);
    case "elements": {
      const { close } = body;
      const { mark } = body.arguments;
      return readElementArguments(buffer, { mark, close, members: tool?.parameters }, writer);
    }
    case "parameters": {
      const typesOf = (parameter: string) =>
        tool?.parameters.find((candidate) => candidate.name === parameter)?.types;
      const close = body.close === "" ? syntax.section.close : body.close;
      return readParameters(buffer, { syntax: body.arguments, close, typesOf }, writer);
    }
  }
}

/** Reads a JSON object and passes it on as written. */
export function* readJsonObject(buffer: OutputBuffer, writer: CallWriter): Reading<ValueEnd> {
  if ((yield* peekCharacter(buffer)) !== "{") return determineEnd(buffer);
  writer.begin("");
  return yield* readJsonValue(buffer, writer.write);
}

function* readMarkedObject(
  buffer: OutputBuffer,
  rawQuote: string,
  writer: CallWriter,
): Reading<ValueEnd> {
  if ((yield* peekCharacter(buffer)) !== "{") return determineEnd(buffer);
  writer.begin("");
  const syntax = { quotes: ['"'], rawQuote, keys: "bare" } as const;
  return yield* readLiteralValue(buffer, syntax, writer.write);
}

/** Reads `key=value` pairs between commas, up to the closing parenthesis. */
function* readKeywords(buffer: OutputBuffer, writer: CallWriter): Reading<ValueEnd> {
  const end = yield* readElements(buffer, ")", writer.write, () => readKeyword(buffer, writer));
  if (end !== "complete") return end;
  writer.begin("{");
  writer.write("}");
  return "complete";
}

function* readKeyword(buffer: OutputBuffer, writer: CallWriter): Reading<ValueEnd> {
  const key = yield* takeWhile(buffer, /\w/);
  yield* skipSpace(buffer);
  if (key === "" || (yield* peekCharacter(buffer)) !== "=") return determineEnd(buffer);
  buffer.position++;
  yield* skipSpace(buffer);
  writer.begin("{");
  writer.write(`"${escapeJson(key)}":`);
  return yield* readLiteralValue(buffer, PYTHON, writer.write);
}

export interface ParametersOptions {
  readonly syntax: ParametersSyntax;
  /** The text after the last parameter. */
  readonly close: string;
  /** Returns the types that a parameter may have; `undefined` for any. */
  readonly typesOf: (parameter: string) => readonly JsonType[] | undefined;
}

type Pass = (text: string) => void;

/**
 * Reads framed parameters and passes them on as a JSON object. A parameter that can only be a
 * string is passed on as it arrives, others when they are complete.
 */
function* readParameters(
  buffer: OutputBuffer,
  { syntax, close, typesOf }: ParametersOptions,
  writer: CallWriter,
): Reading<ValueEnd> {
  for (;;) {
    const open = yield* attempt(buffer, readOpening(buffer, syntax), (frame) => {
      return typeof frame !== "string";
    });
    if (open === "cut") return "cut";
    if (open === "mismatched") {
      if (!writer.hasBegun && !(yield* isNext(buffer, close))) return "malformed";
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

/** Reads a value's text up to and including its closing mark, without padding. */
function* readText(
  buffer: OutputBuffer,
  { close, padding, quote }: ParametersSyntax,
  pass: Pass,
): Reading<ValueEnd> {
  if (quote !== undefined && (yield* takeLiteral(buffer, quote.open)) === "matched") {
    if ((yield* takeUntil(buffer, quote.close, pass)) === "cut") return "cut";
    const match = yield* takeLiteral(buffer, close);
    return match === "matched" ? "complete" : toValueEnd(match);
  }
  if (padding !== "" && (yield* peekCharacter(buffer)) === padding) buffer.position++;
  let heldPadding = "";
  return yield* takeUntil(buffer, close, (text) => {
    const known = heldPadding + text;
    heldPadding = padding !== "" && known.endsWith(padding) ? padding : "";
    pass(known.slice(0, known.length - heldPadding.length));
  });
}

function toValueEnd(match: "mismatched" | "cut"): ValueEnd {
  return match === "cut" ? "cut" : "malformed";
}

function* takeUntil(buffer: OutputBuffer, close: string, pass: Pass): Reading<"complete" | "cut"> {
  const mark = yield* readTextUntil(buffer, [close], pass);
  if (mark === undefined) return "cut";
  buffer.position += mark.length;
  return "complete";
}
