import type { CallSyntax } from "../conventions/convention.js";
import type { CallContext } from "./call-writer.js";
import { readEnvelope } from "./envelope.js";
import { distinctiveMarkOf, markOf, takeLiteral } from "./literal.js";
import { type CallEnd, readNamedCall, takeClosing } from "./named-call.js";
import {
  type OutputBuffer,
  peekCharacter,
  type Reading,
  skipSpace,
  tentatively,
} from "./output-buffer.js";

/** The texts with which calls in a syntax may begin. */
export function marksOf(syntax: CallSyntax): readonly string[] {
  return openingsOf(syntax).map(markOf);
}

/** Texts that no call in a syntax begins without. */
export function distinctiveMarksOf(syntax: CallSyntax): readonly string[] {
  return openingsOf(syntax).map(distinctiveMarkOf);
}

function openingsOf({ section, call }: CallSyntax): readonly string[] {
  return [section.open, ownOpening(call)].filter((opening) => opening !== "");
}

/** The text with which a call begins without its section; `""`: it cannot. */
function ownOpening(call: CallSyntax["call"]): string {
  const [first] = call.type === "named" ? call.head : [];
  return typeof first === "string" ? first : "";
}

/**
 * Reads the calls that begin here. Nothing is taken if there are none. What follows the last call, as
 * far as it does not belong to the syntax, is left.
 */
export function readCalls(context: CallContext, syntax: CallSyntax): Reading<"read" | "absent"> {
  const reading = readSection(context, syntax);
  return tentatively(context.buffer, reading, (result) => result === "read");
}

function* readSection(context: CallContext, syntax: CallSyntax): Reading<"read" | "absent"> {
  const { buffer, parts } = context;
  const { section, call } = syntax;
  const opened = yield* takeLiteral(buffer, section.open);
  if (opened !== "matched" && ownOpening(call) === "") return "absent";
  for (let count = 0; ; count++) {
    const end = yield* tentatively(buffer, nextCall(context, syntax, count), isThere);
    if (end === "absent") return count === 0 ? "absent" : "read";
    if (end === "cut") {
      buffer.position = buffer.end;
      return "read";
    }
    const isClosed = end === "complete" && (yield* closes(buffer, syntax));
    parts.endCall();
    if (end === "broken" || isClosed || syntax.holds === "one-call") return "read";
  }
}

/** Takes what closes a section. */
function* closes(buffer: OutputBuffer, { section, holds }: CallSyntax): Reading<boolean> {
  if (section.close === "" && holds === "all-calls") return false;
  return (yield* takeClosing(buffer, section.close)) !== "mismatched";
}

const isThere = (end: CallEnd) => end !== "absent";

function* nextCall(context: CallContext, syntax: CallSyntax, count: number): Reading<CallEnd> {
  const { buffer } = context;
  yield* skipSpace(buffer);
  const separator = syntax.between.trim();
  if (count > 0 && separator !== "" && (yield* peekCharacter(buffer)) === separator) {
    buffer.position++;
    yield* skipSpace(buffer);
  }
  const { call } = syntax;
  return call.type === "named"
    ? yield* readNamedCall(context, syntax, call)
    : yield* readEnvelope(context, syntax, call);
}
