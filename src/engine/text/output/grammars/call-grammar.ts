import type { ToolDefinition } from "../../../../core/generation-request.js";
import type { ToolConvention } from "../../../../core/output-format.js";
import {
  type CodePointRange,
  character,
  choice,
  EMPTY,
  type GrammarNode,
  intersection,
  NOTHING,
  repeat,
  sequence,
  words,
} from "../../../../grammar/grammar.js";
import type {
  CallBody,
  CallSyntax,
  Convention,
  EnvelopePart,
  HeadPart,
} from "../conventions/convention.js";
import { CONVENTIONS } from "../conventions/conventions.js";
import { REASONING_MARKS } from "../conventions/reasoning-marks.js";
import { distinctiveMarksOf, marksOf } from "../parser/calls.js";
import { type ArgumentsGrammarOptions, argumentsNode } from "./arguments-grammar.js";
import { type IsControlToken, listEndTriggers, literal, selectTrigger } from "./control-marks.js";

/** The calls that an answer may contain. */
export interface CallGrammarOptions extends ArgumentsGrammarOptions {
  /** The functions that may be called; at least one. */
  readonly tools: readonly ToolDefinition[];
  readonly calls: "one" | "one-or-more";
  /** `at-once`: the answer consists of calls. `anywhere`: calls may begin within text. */
  readonly callPosition: "at-once" | "anywhere";
}

/**
 * Builds the grammar of answers with calls in a family's own syntax: arguments satisfy the tools'
 * schemas, and text does not contain the beginning of a call that is not one. The end of an answer
 * and reasoning before it are not included, except for gpt-oss, whose reasoning is a message like
 * others.
 *
 * Parameters written as plain text are constrained as far as possible: strings to their enumerated
 * values, other types by their schema.
 */
export function callGrammar(name: ToolConvention, options: CallGrammarOptions): GrammarNode {
  const convention = CONVENTIONS[name];
  if (convention.calls === "harmony") return harmonyGrammar(options);
  const [syntax] = convention.calls;
  if (syntax === undefined) return NOTHING;
  const { promptOpening } = convention;
  if (promptOpening !== undefined) return openedAnswer(syntax, promptOpening, options);
  if (options.callPosition === "at-once") return callsOf(syntax, options);
  return syntax.place === "beginning"
    ? callsOrText(convention.calls, options)
    : callsInText(convention, syntax, options);
}

/** Builds sections with one call or several. */
function callsOf(syntax: CallSyntax, options: CallGrammarOptions): GrammarNode {
  const { section, sectionContent, callSeparator } = syntax;
  const text = (value: string) => literal(value, options.isControlToken);
  const inSection = (content: GrammarNode) =>
    sequence(text(section.open), content, text(section.close));
  const call = callNode(syntax.call, options);
  if (options.calls === "one") return inSection(call);
  return sectionContent === "one-call"
    ? sequence(inSection(call), repeat(sequence(text(callSeparator), inSection(call)), 0))
    : inSection(sequence(call, repeat(sequence(text(callSeparator), call), 0)));
}

/** Builds text in which calls may begin, and which may continue after them. */
function callsInText(
  { contentMarks = [], calls, reasoning }: Convention,
  syntax: CallSyntax,
  options: CallGrammarOptions,
): GrammarNode {
  const { isControlToken } = options;
  const ends = (calls === "harmony" ? [] : calls)
    .flatMap(distinctiveMarksOf)
    .flatMap((mark) => listEndTriggers(mark, isControlToken));
  const plainText: GrammarNode = { type: "without", ends };
  // Marks that begin like a call, or contain the text by which calls are recognised.
  const marks = [...contentMarks, REASONING_MARKS[reasoning].open]
    .filter((mark) => {
      const { text } = selectTrigger(mark, isControlToken);
      return ends.some((end) => end.text === text || mark.includes(end.text));
    })
    .map((mark) => literal(mark, isControlToken));
  const text =
    marks.length === 0
      ? plainText
      : sequence(plainText, repeat(sequence(choice(...marks), plainText), 0));
  const max = options.calls === "one" ? 1 : undefined;
  return sequence(repeat(sequence(text, callsOf(syntax, options)), 0, max), text);
}

const LAST_CODE_POINT = 0x10ffff;
const SPACE = [" ", "\n", "\t", "\r"];

/** Builds calls or text, distinguished by the first character. */
function callsOrText(calls: readonly CallSyntax[], options: CallGrammarOptions): GrammarNode {
  const [syntax, ...others] = calls;
  if (syntax === undefined) return EMPTY;
  const { isControlToken } = options;
  const beginnings = calls.filter(({ place }) => place === "beginning");
  const excludedCharacters = ["{", ...beginnings.flatMap(marksOf), ...SPACE].map((mark) =>
    mark.charAt(0),
  );
  const ends = others
    .filter(({ place }) => place === "anywhere")
    .flatMap(marksOf)
    .flatMap((mark) => listEndTriggers(mark, isControlToken));
  const space = repeat(words(SPACE), 0);
  // Also excludes marks that begin with the first character.
  const text = intersection(
    sequence(charactersExcept(excludedCharacters), { type: "without", ends: [] }),
    {
      type: "without",
      ends,
    },
  );
  return choice(callsOf(syntax, options), sequence(space, choice(EMPTY, text)));
}

function charactersExcept(excluded: readonly string[]): GrammarNode {
  const codePoints = [...new Set(excluded.map((character) => character.charCodeAt(0)))].toSorted(
    (a, b) => a - b,
  );
  const firsts = [0, ...codePoints.map((codePoint) => codePoint + 1)];
  const lasts = [...codePoints.map((codePoint) => codePoint - 1), LAST_CODE_POINT];
  const ranges = firsts.map((first, index): CodePointRange => [first, lasts[index] ?? first]);
  return character(...ranges.filter(([first, last]) => first <= last));
}

/** Builds an answer whose first mark is in the prompt. */
function openedAnswer(
  syntax: CallSyntax,
  promptOpening: string,
  options: CallGrammarOptions,
): GrammarNode {
  const { isControlToken } = options;
  const call = callNode(syntax.call, options);
  const mark = literal(promptOpening, isControlToken);
  const max = options.calls === "one" ? 0 : undefined;
  const first = callNode(removeOpening(syntax.call, promptOpening), options);
  const calls = sequence(first, repeat(call, 0, max));
  if (options.callPosition === "at-once") return calls;
  const ends = listEndTriggers(promptOpening, isControlToken);
  const text = sequence(words(["all\n"]), { type: "without", ends });
  const followingCalls = options.calls === "one" ? repeat(call, 0, 1) : repeat(call, 0);
  return choice(calls, sequence(text, repeat(sequence(mark, text), 0), followingCalls));
}

function removeOpening(call: CallBody, opening: string): CallBody {
  if (call.type !== "named" || call.head[0] !== opening) return call;
  return { ...call, head: call.head.slice(1) };
}

/** Builds a call of one of the tools, without its section. */
function callNode(call: CallBody, options: CallGrammarOptions): GrammarNode {
  return choice(...options.tools.map((tool) => buildCall(call, tool, options)));
}

function buildCall(call: CallBody, tool: ToolDefinition, options: CallGrammarOptions): GrammarNode {
  if (call.type === "envelope") return frameNode(call.layout, tool, options);
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

const DIGIT: CodePointRange = [0x30, 0x39];
const LETTERS: readonly CodePointRange[] = [
  [0x41, 0x5a],
  [0x61, 0x7a],
];
const DIGITS = repeat(character(DIGIT), 1, 3);
const ALPHANUMERIC = character(DIGIT, ...LETTERS);
const SHORT_ID = repeat(ALPHANUMERIC, 9, 9);
const ID = repeat(ALPHANUMERIC, 1, 24);

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

/**
 * Builds messages of OpenAI's harmony format: analysis and preambles, then a call or the final
 * answer. The end of a call ends the generation, so there is at most one.
 */
function harmonyGrammar({
  tools,
  argumentsOf,
  callPosition,
  isControlToken,
}: CallGrammarOptions): GrammarNode {
  const text = (value: string) => literal(value, isControlToken);
  const call = choice(
    ...tools.map((tool) =>
      sequence(
        text(`<|channel|>commentary to=functions.${tool.name} <|constrain|>json<|message|>`),
        argumentsOf(tool),
      ),
    ),
  );
  if (callPosition === "at-once")
    return sequence(repeat(message("analysis", isControlToken), 0), call);
  const final = sequence(text("<|channel|>final<|message|>"), buildMessageBody(isControlToken));
  const precedingMessages = choice(
    ...["analysis", "commentary"].map((channel) => message(channel, isControlToken)),
  );
  return sequence(repeat(precedingMessages, 0), choice(call, final));
}

/** Builds analysis messages and a final message with the given content. */
export function harmonyFinal(content: GrammarNode, isControlToken: IsControlToken): GrammarNode {
  const text = (value: string) => literal(value, isControlToken);
  return sequence(
    repeat(message("analysis", isControlToken), 0),
    text("<|channel|>final<|message|>"),
    content,
  );
}

/** Builds a whole message and the beginning of the next one. */
function message(channel: string, isControlToken: IsControlToken): GrammarNode {
  return sequence(
    literal(`<|channel|>${channel}<|message|>`, isControlToken),
    restOfHarmonyMessage(isControlToken),
  );
}

/** Builds the rest of a message and the beginning of the next one. */
export function restOfHarmonyMessage(isControlToken: IsControlToken): GrammarNode {
  return sequence(
    buildMessageBody(isControlToken),
    literal("<|end|><|start|>assistant", isControlToken),
  );
}

function buildMessageBody(isControlToken: IsControlToken): GrammarNode {
  return {
    type: "without",
    ends: ["<|end|>", "<|start|>", "<|channel|>", "<|message|>"].flatMap((mark) =>
      listEndTriggers(mark, isControlToken),
    ),
  };
}
