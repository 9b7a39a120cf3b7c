import type { OutputReading } from "../../../core/generation-request.js";
import type {
  ArgumentsSyntax,
  CallBody,
  Convention,
  HeadPart,
  ParameterPart,
} from "../conventions/convention.js";
import { CONVENTIONS } from "../conventions/conventions.js";
import { REASONING_MARKS } from "../conventions/reasoning.js";
import { HARMONY_MARKS } from "./harmony-output.js";

/** All texts that mean something in an output that is read this way. */
export function meaningfulTexts({
  beginsWith,
  convention,
  reasoning,
}: OutputReading): readonly string[] {
  if (beginsWith === "raw-text") return [];
  const { open, close } = REASONING_MARKS[reasoning];
  return [open, close, ...ofConvention(CONVENTIONS[convention])];
}

function ofConvention({ calls, contentMarks = [], openedBy = "" }: Convention): readonly string[] {
  const ofCalls =
    calls === "harmony"
      ? HARMONY_MARKS
      : calls.flatMap(({ section, call }) => [section.open, section.close, ...ofBody(call)]);
  return [...contentMarks, openedBy, ...ofCalls];
}

function ofBody(body: CallBody): readonly string[] {
  if (body.type === "envelope") return [];
  return [...textsOf(body.head), body.close, ...ofArguments(body.arguments)];
}

function ofArguments(syntax: ArgumentsSyntax): readonly string[] {
  switch (syntax.type) {
    case "json":
    case "keywords":
      return [];
    case "marked-object":
      return [syntax.quote];
    case "elements":
      return [syntax.mark];
    case "parameters": {
      const { open = "", close = "" } = syntax.quote ?? {};
      return [...textsOf(syntax.open), syntax.close, open, close];
    }
  }
}

function textsOf(frame: readonly (HeadPart | ParameterPart)[]): readonly string[] {
  return frame.filter((part) => typeof part === "string");
}
