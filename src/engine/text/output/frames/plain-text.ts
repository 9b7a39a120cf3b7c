import type { JsonType } from "../../../../core/output-format.js";
import type { CodePointRange, GrammarNode } from "../../../../grammar/grammar.js";
import {
  character,
  choice,
  complement,
  intersection,
  optional,
  repeat,
  sequence,
  text,
  words,
} from "../../../../grammar/grammar-nodes.js";
import { WHITE_SPACE } from "../../../../grammar/white-space.js";

export interface PlainTextLimits {
  /** What is not in it. */
  readonly without: readonly string[];
  /** Types of JSON values that its reader would take it for. */
  readonly notReadAs: readonly JsonType[];
  readonly notBeginningWith?: string | undefined;
}

/** Texts that can be written as they are, and that are read back as strings. */
export function plainText({ without, notReadAs, notBeginningWith }: PlainTextLimits): GrammarNode {
  const held: GrammarNode = {
    type: "without",
    ends: without.map((mark) => ({ type: "text", text: mark })),
  };
  const others = [
    ...(notBeginningWith === undefined ? [] : [sequence(text(notBeginningWith), ANYTHING)]),
    ...(notReadAs.length === 0
      ? []
      : [sequence(SPACE, choice(...notReadAs.map((type) => readAs(type))), SPACE)]),
  ];
  return intersection(held, ...others.map(complement));
}

const ANYTHING: GrammarNode = { type: "without", ends: [] };

/** What readers drop around values. */
const SPACE = repeat(character(...WHITE_SPACE), 0);

const DIGIT: CodePointRange = [0x30, 0x39];
const DIGITS = repeat(character(DIGIT), 1);
const NUMBER = sequence(
  optional(text("-")),
  choice(text("0"), sequence(character([0x31, 0x39]), repeat(character(DIGIT), 0))),
  optional(sequence(text("."), DIGITS)),
  optional(sequence(words(["e", "E"]), optional(words(["+", "-"])), DIGITS)),
);

/** Texts that are read as values of a type, and some more: in the words of JSON and of Python. */
function readAs(type: JsonType): GrammarNode {
  switch (type) {
    case "null":
      return words(["null", "None"]);
    case "boolean":
      return words(["true", "false", "True", "False"]);
    case "number":
      return NUMBER;
    case "array":
      return sequence(words(["[", "("]), ANYTHING);
    case "object":
      return sequence(text("{"), ANYTHING);
    case "string":
      return words([]);
  }
}
