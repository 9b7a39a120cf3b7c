import type { CallSyntax, EnvelopeBody, NamedBody } from "../conventions/convention.js";
import { readArguments, readJsonObject } from "./call-arguments.js";
import { readJsonValue } from "./json-value.js";
import { determineEnd } from "./literal-value.js";
import { distinctiveMarkOf, type FrameValues, markOf, readFrame, takeLiteral } from "./marks.js";
import {
  attempt,
  type OutputBuffer,
  peekCharacter,
  type Reading,
  skipSpace,
} from "./output-buffer.js";
import { type CallContext, CallWriter, isCallable } from "./output-parts.js";

/** Returns the texts with which calls in a syntax may begin. */
export function marksOf(syntax: CallSyntax): readonly string[] {
  return openingsOf(syntax).map(markOf);
}

/** Returns texts without which no call in a syntax can begin. */
export function distinctiveMarksOf(syntax: CallSyntax): readonly string[] {
  return openingsOf(syntax).map(distinctiveMarkOf);
}

function openingsOf({ section, call }: CallSyntax): readonly string[] {
  return [section.open, callOpeningOf(call)].filter((opening) => opening !== "");
}

/** Returns the text with which a call begins without its section; `""` if it cannot. */
function callOpeningOf(call: CallSyntax["call"]): string {
  const [first] = call.type === "named" ? call.head : [];
  return typeof first === "string" ? first : "";
}

/**
 * Reads the calls at the position. Consumes nothing if there are none, and nothing after the last
 * call that does not belong to the syntax.
 */
export function readCalls(context: CallContext, syntax: CallSyntax): Reading<"read" | "absent"> {
  const reading = readSection(context, syntax);
  return attempt(context.buffer, reading, (result) => result === "read");
}

function* readSection(context: CallContext, syntax: CallSyntax): Reading<"read" | "absent"> {
  const { buffer, parts } = context;
  const { section, call } = syntax;
  const openingMatch = yield* takeLiteral(buffer, section.open);
  if (openingMatch !== "matched" && callOpeningOf(call) === "") return "absent";
  for (let count = 0; ; count++) {
    const end = yield* attempt(buffer, readNextCall(context, syntax, count), isPresent);
    if (end === "absent") return count === 0 ? "absent" : "read";
    if (end === "cut") {
      buffer.position = buffer.end;
      return "read";
    }
    const isClosed = end === "complete" && (yield* takeSectionClose(buffer, syntax));
    parts.endCall();
    if (end === "broken" || isClosed || syntax.sectionContent === "one-call") return "read";
  }
}

/** Takes the closing text of a section. */
function* takeSectionClose(
  buffer: OutputBuffer,
  { section, sectionContent }: CallSyntax,
): Reading<boolean> {
  if (section.close === "" && sectionContent === "all-calls") return false;
  return (yield* takeClosing(buffer, section.close)) !== "mismatched";
}

const isPresent = (end: CallEnd) => end !== "absent";

function* readNextCall(context: CallContext, syntax: CallSyntax, count: number): Reading<CallEnd> {
  const { buffer } = context;
  yield* skipSpace(buffer);
  const separator = syntax.callSeparator.trim();
  if (count > 0 && separator !== "" && (yield* peekCharacter(buffer)) === separator) {
    buffer.position++;
    yield* skipSpace(buffer);
  }
  const { call } = syntax;
  return call.type === "named"
    ? yield* readNamedCall(context, syntax, call)
    : yield* readEnvelope(context, syntax, call);
}

/**
 * How reading a call ended. `absent`: there is none, and nothing has been passed on. `broken`: it
 * ended early, and the rest is text. `cut`: it ended with the output.
 */
type CallEnd = "absent" | "complete" | "broken" | "cut";

/** Reads a call whose name precedes its arguments. */
function* readNamedCall(
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

/** Returns whether a name may be that of a call. */
function isAccepted(
  context: CallContext,
  { names }: CallSyntax,
  frame: FrameValues,
): frame is FrameValues & { readonly name: string } {
  const { name = "" } = frame;
  if (name === "" || !isCallable(context, name)) return false;
  return names === "any" || context.tools.some((tool) => tool.name === name);
}

/** Takes a literal and the white space before it; consumes nothing if it is absent. */
function takeClosing(buffer: OutputBuffer, literal: string) {
  return attempt(buffer, takeSpaceAndLiteral(buffer, literal), (match) => match !== "mismatched");
}

function* takeSpaceAndLiteral(buffer: OutputBuffer, literal: string) {
  if (literal !== "") yield* skipSpace(buffer);
  return yield* takeLiteral(buffer, literal);
}

/** The beginning of an envelope. */
interface EnvelopeHead {
  readonly name: string;
  /** The arguments of an envelope that was read completely; absent if they come next. */
  readonly arguments?: string;
}

/**
 * Reads a JSON object that contains a call's name and its arguments. Arguments after the name are
 * passed on as written; those before it, when the object is complete. Missing arguments are empty.
 * Other members are skipped.
 */
function* readEnvelope(
  context: CallContext,
  syntax: CallSyntax,
  body: EnvelopeBody,
): Reading<CallEnd> {
  const { buffer } = context;
  if ((yield* peekCharacter(buffer)) !== "{") return "absent";
  buffer.position++;
  const head = yield* readHead(buffer, body);
  if (head === undefined || !isAccepted(context, syntax, head)) return "absent";
  const writer = new CallWriter(context, head.name);
  if (head.arguments !== undefined) {
    writer.begin(head.arguments);
    return "complete";
  }
  const end = yield* readJsonObject(buffer, writer);
  if (!writer.hasBegun) return "absent";
  if (end !== "complete") return end === "cut" ? "cut" : "broken";
  return yield* attempt(buffer, readTail(buffer), (tail) => tail !== "broken");
}

/** Reads members up to the arguments; returns `undefined` if this is not a call. */
function* readHead(
  buffer: OutputBuffer,
  { members }: EnvelopeBody,
): Reading<EnvelopeHead | undefined> {
  if (members === "name-as-key") {
    const first = yield* readNextMember(buffer, 0);
    return first.type === "member" ? { name: first.key } : undefined;
  }
  let head: Partial<EnvelopeHead> = {};
  for (let count = 0; ; count++) {
    const next = yield* readNextMember(buffer, count);
    if (next.type === "end") return { name: "", arguments: "{}", ...head };
    if (next.type !== "member") return undefined;
    const isArguments = members.arguments.includes(next.key);
    if (isArguments && head.name !== undefined) return { name: head.name };
    const value = yield* collectValue(buffer);
    if (value === undefined || (isArguments && !value.startsWith("{"))) return undefined;
    if (isArguments) head = { ...head, arguments: value };
    if (next.key === members.name) head = { ...head, name: parseJsonText(value) ?? "" };
  }
}

/** Reads the rest of the object after the arguments. */
function* readTail(buffer: OutputBuffer): Reading<CallEnd> {
  for (;;) {
    const next = yield* readNextMember(buffer, 1);
    if (next.type === "end") return "complete";
    if (next.type === "cut") return "cut";
    const value = next.type === "member" ? yield* collectValue(buffer) : undefined;
    if (value === undefined) return determineEnd(buffer) === "cut" ? "cut" : "broken";
  }
}

type Member =
  | { readonly type: "member"; readonly key: string }
  | { readonly type: "end" | "malformed" | "cut" };

/** Reads up to the value of the next member, or to the end of the object. */
function* readNextMember(buffer: OutputBuffer, count: number): Reading<Member> {
  yield* skipSpace(buffer);
  const first = yield* peekCharacter(buffer);
  if (first === "}") {
    buffer.position++;
    return { type: "end" };
  }
  if (count > 0) {
    if (first !== ",") return { type: determineEnd(buffer) === "cut" ? "cut" : "malformed" };
    buffer.position++;
    yield* skipSpace(buffer);
  }
  const key = parseJsonText((yield* collectValue(buffer)) ?? "");
  yield* skipSpace(buffer);
  const colon = yield* peekCharacter(buffer);
  if (key === undefined || colon !== ":") {
    return { type: determineEnd(buffer) === "cut" ? "cut" : "malformed" };
  }
  buffer.position++;
  yield* skipSpace(buffer);
  return { type: "member", key };
}

function* collectValue(buffer: OutputBuffer): Reading<string | undefined> {
  let text = "";
  const end = yield* readJsonValue(buffer, (piece) => {
    text += piece;
  });
  return end === "complete" ? text : undefined;
}

/** Returns the text of a non-empty JSON string. */
function parseJsonText(json: string): string | undefined {
  if (!json.startsWith('"')) return undefined;
  const text: unknown = JSON.parse(json);
  return typeof text === "string" && text !== "" ? text : undefined;
}
