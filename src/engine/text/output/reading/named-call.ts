import type { CallSyntax, NamedBody } from "../conventions/convention.js";
import { type CallContext, CallWriter, isCallable } from "./call-writer.js";
import { readElementArguments } from "./elements.js";
import { type FrameValues, readFrame } from "./frame.js";
import { escapeJson, readJsonValue, type ValueEnd } from "./json-value.js";
import { takeLiteral } from "./literal.js";
import { endHere, PYTHON, readElements, readLiteralValue, takeWhile } from "./literal-value.js";
import {
  type OutputBuffer,
  peekCharacter,
  type Reading,
  skipSpace,
  tentatively,
} from "./output-buffer.js";
import { readParameters } from "./parameters.js";

/**
 * How reading a call ended. `absent`: there is none, and nothing has been passed on. `broken`: it
 * ended early, and what follows is text. `cut`: it ended with the output.
 */
export type CallEnd = "absent" | "complete" | "broken" | "cut";

/** Reads a call whose name stands before its arguments. */
export function* readNamedCall(
  context: CallContext,
  syntax: CallSyntax,
  body: NamedBody,
): Reading<CallEnd> {
  const { buffer } = context;
  const frame = yield* readFrame(buffer, body.head);
  if (typeof frame === "string" || !isAccepted(context, syntax, frame)) return "absent";
  const { name, id } = frame;
  const writer = new CallWriter(context, name, id);
  yield* skipSpace(buffer);
  const end = yield* readArguments(context, { syntax, body, name }, writer);
  if (!writer.hasBegun) return "absent";
  if (end !== "complete") return end === "cut" ? "cut" : "broken";
  const close = yield* takeClosing(buffer, body.close);
  if (close === "matched") return "complete";
  return close === "cut" ? "cut" : "broken";
}

/** Whether a name may be that of a call. */
export function isAccepted(
  context: CallContext,
  { names }: CallSyntax,
  frame: FrameValues,
): frame is FrameValues & { readonly name: string } {
  const { name = "" } = frame;
  if (name === "" || !isCallable(context, name)) return false;
  return names === "any" || context.tools.some((tool) => tool.name === name);
}

/** Takes a literal with the white space before it; takes nothing if it is not there. */
export function takeClosing(buffer: OutputBuffer, literal: string) {
  return tentatively(buffer, spaceAnd(buffer, literal), (match) => match !== "mismatched");
}

function* spaceAnd(buffer: OutputBuffer, literal: string) {
  if (literal !== "") yield* skipSpace(buffer);
  return yield* takeLiteral(buffer, literal);
}

interface NamedCall {
  readonly syntax: CallSyntax;
  readonly body: NamedBody;
  readonly name: string;
}

function readArguments(
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

/** Reads a JSON object and passes it on as it is written. */
export function* readJsonObject(buffer: OutputBuffer, writer: CallWriter): Reading<ValueEnd> {
  if ((yield* peekCharacter(buffer)) !== "{") return endHere(buffer);
  writer.begin("");
  return yield* readJsonValue(buffer, writer.write);
}

function* readMarkedObject(
  buffer: OutputBuffer,
  rawQuote: string,
  writer: CallWriter,
): Reading<ValueEnd> {
  if ((yield* peekCharacter(buffer)) !== "{") return endHere(buffer);
  writer.begin("");
  const syntax = { quotes: ['"'], rawQuote, keys: "bare" } as const;
  return yield* readLiteralValue(buffer, syntax, writer.write);
}

/** Reads `key=value` between commas, up to the closing parenthesis. */
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
  if (key === "" || (yield* peekCharacter(buffer)) !== "=") return endHere(buffer);
  buffer.position++;
  yield* skipSpace(buffer);
  writer.begin("{");
  writer.write(`"${escapeJson(key)}":`);
  return yield* readLiteralValue(buffer, PYTHON, writer.write);
}
