import type { ToolDefinition } from "../../../core/generation-request.js";
import type { CodePointRange, GrammarNode } from "../../../core/grammar.js";
import { character, choice, repeat, sequence, words } from "../../../core/grammar-nodes.js";
import type { CallBody, EnvelopePart, HeadPart } from "../conventions/convention.js";
import { argumentsNode } from "./arguments-node.js";
import type { CallGrammarOptions } from "./call-grammar-options.js";
import { literal } from "./control-marks.js";

const DIGIT: CodePointRange = [0x30, 0x39];
const LETTERS: readonly CodePointRange[] = [
  [0x41, 0x5a],
  [0x61, 0x7a],
];
const DIGITS = repeat(character(DIGIT), 1, 3);
const ALPHANUMERIC = character(DIGIT, ...LETTERS);
const SHORT_ID = repeat(ALPHANUMERIC, 9, 9);
const ID = repeat(ALPHANUMERIC, 1, 24);

/** A call of one of the tools, without its section. */
export function callNode(call: CallBody, options: CallGrammarOptions): GrammarNode {
  return choice(...options.tools.map((tool) => callOf(call, tool, options)));
}

function callOf(call: CallBody, tool: ToolDefinition, options: CallGrammarOptions): GrammarNode {
  if (call.type === "envelope") return frameNode(call.written, tool, options);
  return sequence(
    frameNode(call.head, tool, options),
    argumentsNode(call.arguments, tool, options),
    literal(call.close, options.isControlToken),
  );
}

function frameNode(
  frame: readonly (HeadPart | EnvelopePart)[],
  tool: ToolDefinition,
  options: CallGrammarOptions,
): GrammarNode {
  return sequence(...frame.map((part) => partNode(part, tool, options)));
}

function partNode(
  part: HeadPart | EnvelopePart,
  tool: ToolDefinition,
  { argumentsOf, isControlToken }: CallGrammarOptions,
): GrammarNode {
  if (typeof part === "string") return literal(part, isControlToken);
  switch (part.part) {
    case "name":
      return words([tool.name]);
    case "qualified-name":
      return sequence(words([`functions.${tool.name}:`]), DIGITS);
    case "id":
      return part.style === "nine-characters" ? SHORT_ID : ID;
    case "index":
      return DIGITS;
    case "arguments":
      return argumentsOf(tool);
  }
}
