import type { CallSyntax, EnvelopeBody } from "../conventions/convention.js";
import { type CallContext, CallWriter } from "./call-writer.js";
import { readJsonValue } from "./json-value.js";
import { endHere } from "./literal-value.js";
import { type CallEnd, isAccepted, readJsonObject } from "./named-call.js";
import {
  type OutputBuffer,
  peekCharacter,
  type Reading,
  skipSpace,
  tentatively,
} from "./output-buffer.js";

/** The beginning of an envelope. */
interface EnvelopeHead {
  readonly name: string;
  /** Of an envelope that has been read as a whole; absent: the arguments come next. */
  readonly arguments?: string;
}

/**
 * Reads a JSON object that holds a call's name and its arguments. Arguments behind the name are passed
 * on as they are written; those before it, when the object is complete. Without any they are empty.
 * Other members are skipped.
 */
export function* readEnvelope(
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
  return yield* tentatively(buffer, readTail(buffer), (tail) => tail !== "broken");
}

/** Reads members up to the arguments; `undefined`: this is no call. */
function* readHead(
  buffer: OutputBuffer,
  { members }: EnvelopeBody,
): Reading<EnvelopeHead | undefined> {
  if (members === "name-as-key") {
    const first = yield* nextMember(buffer, 0);
    return first.type === "member" ? { name: first.key } : undefined;
  }
  let head: Partial<EnvelopeHead> = {};
  for (let count = 0; ; count++) {
    const next = yield* nextMember(buffer, count);
    if (next.type === "end") return { name: "", arguments: "{}", ...head };
    if (next.type !== "member") return undefined;
    const isArguments = members.arguments.includes(next.key);
    if (isArguments && head.name !== undefined) return { name: head.name };
    const value = yield* collectValue(buffer);
    if (value === undefined || (isArguments && !value.startsWith("{"))) return undefined;
    if (isArguments) head = { ...head, arguments: value };
    if (next.key === members.name) head = { ...head, name: textOf(value) ?? "" };
  }
}

/** Reads what is behind the arguments. */
function* readTail(buffer: OutputBuffer): Reading<CallEnd> {
  for (;;) {
    const next = yield* nextMember(buffer, 1);
    if (next.type === "end") return "complete";
    if (next.type === "cut") return "cut";
    const value = next.type === "member" ? yield* collectValue(buffer) : undefined;
    if (value === undefined) return endHere(buffer) === "cut" ? "cut" : "broken";
  }
}

type Member =
  | { readonly type: "member"; readonly key: string }
  | { readonly type: "end" | "malformed" | "cut" };

/** Reads up to the value of the next member, or the end of the object. */
function* nextMember(buffer: OutputBuffer, count: number): Reading<Member> {
  yield* skipSpace(buffer);
  const first = yield* peekCharacter(buffer);
  if (first === "}") {
    buffer.position++;
    return { type: "end" };
  }
  if (count > 0) {
    if (first !== ",") return { type: endHere(buffer) === "cut" ? "cut" : "malformed" };
    buffer.position++;
    yield* skipSpace(buffer);
  }
  const key = textOf((yield* collectValue(buffer)) ?? "");
  yield* skipSpace(buffer);
  const colon = yield* peekCharacter(buffer);
  if (key === undefined || colon !== ":") {
    return { type: endHere(buffer) === "cut" ? "cut" : "malformed" };
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

/** The text of a JSON string that is not empty. */
function textOf(json: string): string | undefined {
  if (!json.startsWith('"')) return undefined;
  const text: unknown = JSON.parse(json);
  return typeof text === "string" && text !== "" ? text : undefined;
}
