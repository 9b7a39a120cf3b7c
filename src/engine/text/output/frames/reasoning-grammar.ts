import type { ToolConvention } from "../../../../core/output-format.js";
import type { GrammarNode } from "../../../../grammar/grammar.js";
import {
  choice,
  EMPTY,
  optional,
  repeat,
  sequence,
  text,
} from "../../../../grammar/grammar-nodes.js";
import type { Convention } from "../conventions/convention.js";
import { CONVENTIONS } from "../conventions/conventions.js";
import { REASONING_MARKS } from "../conventions/reasoning.js";
import type { OutputReading } from "../output-reading.js";
import { marksOf } from "../reading/calls.js";
import { endsAt, type IsControlToken, literal } from "./control-marks.js";
import { restOfHarmonyMessage } from "./harmony-grammar.js";

/** Line breaks that models write behind their reasoning. */
const MAX_LINE_BREAKS = 2;
/** Marks that models write between reasoning and text: the header of a message, and its content's. */
const MAX_CONTENT_MARKS = 2;

/**
 * An answer behind the reasoning that comes first: what is left of the reasoning that the prompt has
 * opened, or a whole one in the family's own marks if the model decides to write it.
 * @param opening whether the model may decide
 */
export function afterReasoning(
  answer: GrammarNode,
  { beginsWith, convention, reasoning, toolCalls }: OutputReading,
  { opening, isControlToken }: { opening: "allowed" | "refused"; isControlToken: IsControlToken },
): GrammarNode {
  const family = CONVENTIONS[convention];
  if (family.calls === "harmony") {
    return beginsWith === "reasoning"
      ? sequence(restOfHarmonyMessage(isControlToken), answer)
      : answer;
  }
  const { open, close } = REASONING_MARKS[reasoning];
  const ends = [close, ...(toolCalls === "parsed" ? callsThatEndReasoning(family) : [])];
  const rest = sequence(
    { type: "without", ends: ends.flatMap((mark) => endsAt(mark, isControlToken)) },
    literal(close, isControlToken),
    repeat(text("\n"), 0, MAX_LINE_BREAKS),
    contentHeader(convention, isControlToken),
  );
  if (beginsWith === "reasoning") return sequence(rest, answer);
  if (beginsWith !== "optional-reasoning" || opening === "refused") return answer;
  return sequence(optional(sequence(literal(open, isControlToken), rest)), answer);
}

/** What models write before an answer's text, if their family marks it. It is no part of the text. */
export function contentHeader(
  convention: ToolConvention,
  isControlToken: IsControlToken,
): GrammarNode {
  const { contentMarks = [], openedBy } = CONVENTIONS[convention];
  // The prompt ends with the beginning of the mark.
  if (openedBy !== undefined || contentMarks.length === 0) return EMPTY;
  const marks = contentMarks.map((mark) => literal(mark, isControlToken));
  return repeat(choice(...marks), 0, MAX_CONTENT_MARKS);
}

function callsThatEndReasoning({ calls, callsEndReasoning }: Convention): readonly string[] {
  if (callsEndReasoning === undefined || calls === "harmony") return [];
  return calls.filter(({ place }) => place === "anywhere").flatMap(marksOf);
}
