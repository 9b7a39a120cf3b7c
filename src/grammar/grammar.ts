/**
 * A language: the set of texts that a generation may write. Plain data: it may cross a process
 * boundary. Its alphabet is the bytes of UTF-8 and the control tokens of a model.
 */
export interface Grammar {
  readonly root: GrammarNode;
  /** Rules by name, for recursion and for what occurs in several places. */
  readonly rules: Readonly<Record<string, GrammarNode>>;
}

/** The first and the last code point of a range. */
export type CodePointRange = readonly [first: number, last: number];

/**
 * How characters are written. `in-json`: as printers of JSON do within a string, so that a text of ASCII
 * letters has one form: themselves where that is allowed, short escapes, and `\u` escapes for control
 * characters and for what is not ASCII. `in-json-freely`: the same with `\u` escapes for all.
 */
export type CharacterWriting = "plain" | "in-json" | "in-json-freely";

/** A part of a grammar. */
export type GrammarNode =
  /** One of these texts; of none: nothing matches. */
  | { readonly type: "words"; readonly words: readonly string[] }
  /** One character of these, in UTF-8 or as it is written within a JSON string. */
  | {
      readonly type: "character";
      readonly ranges: readonly CodePointRange[];
      readonly writing: CharacterWriting;
    }
  /** A token that has no text, by its name: `[TOOL_CALLS]`. */
  | { readonly type: "control-token"; readonly text: string }
  | { readonly type: "sequence"; readonly parts: readonly GrammarNode[] }
  | { readonly type: "choice"; readonly options: readonly GrammarNode[] }
  /** Absent `max`: no limit. */
  | {
      readonly type: "repeat";
      readonly of: GrammarNode;
      readonly min: number;
      readonly max?: number | undefined;
    }
  /**
   * The texts that all parts match. The parts are regular: without rules that recur. Outside of lexemes one of them may
   * recur, if each of its texts can be completed within the others however far it has come.
   */
  | { readonly type: "intersection"; readonly parts: readonly GrammarNode[] }
  /** The byte strings that a regular part does not match. */
  | { readonly type: "complement"; readonly of: GrammarNode }
  /** Digits whose number is a multiple of `divisor`, also no digits at all. */
  | { readonly type: "multiple"; readonly divisor: number }
  /** A regular part whose state is small: masks are computed and kept for it as a whole. */
  | { readonly type: "lexeme"; readonly of: GrammarNode }
  /** Any text and control tokens, up to and including the first of these texts or tokens. */
  | { readonly type: "until"; readonly ends: readonly Trigger[] }
  /** Any text and control tokens without any of these. */
  | { readonly type: "without"; readonly ends: readonly Trigger[] }
  | MembersNode
  | { readonly type: "rule"; readonly name: string };

/** Where a part of the output begins or ends: at a text or at a control token. */
export type Trigger =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "control-token"; readonly text: string };

/** The members of a JSON object, without its braces: named ones in order, then additional ones. */
export interface MembersNode {
  readonly type: "members";
  readonly named: readonly NamedMember[];
  /** Members after the named ones, by disjoint languages of keys. */
  readonly additional: readonly AdditionalMember[];
  /** Between two members. */
  readonly separator: GrammarNode;
  /** How many members with different keys there are at least: of each language of additional keys, one counts. */
  readonly min: number;
  readonly max?: number | undefined;
}

export interface NamedMember {
  readonly presence: "required" | "optional";
  /** Key, colon and value. */
  readonly text: GrammarNode;
}

export interface AdditionalMember {
  /** How often there may be such a member: a required name that has no place in the order, once. */
  readonly presence: "required" | "any-number";
  readonly text: GrammarNode;
}

/** Matches nothing. */
export const NOTHING: GrammarNode = { type: "words", words: [] };
/** The empty text. */
export const EMPTY: GrammarNode = { type: "sequence", parts: [] };

/** One text. */
export function text(word: string): GrammarNode {
  return word === "" ? EMPTY : { type: "words", words: [word] };
}

/** One of several texts. */
export function words(list: readonly string[]): GrammarNode {
  return { type: "words", words: list };
}

/** One character of these, in UTF-8. */
export function character(...ranges: readonly CodePointRange[]): GrammarNode {
  return { type: "character", ranges, writing: "plain" };
}

/** One character of these as it is written within a JSON string. */
export function jsonCharacter(
  ranges: readonly CodePointRange[],
  writing: "in-json" | "in-json-freely" = "in-json",
): GrammarNode {
  return { type: "character", ranges, writing };
}

export function sequence(...parts: readonly GrammarNode[]): GrammarNode {
  return sequenceOf(parts);
}

/** Parts that follow each other: a list, since a client's may be too long for the arguments of a call. */
export function sequenceOf(parts: readonly GrammarNode[]): GrammarNode {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : { type: "sequence", parts };
}

export function choice(...options: readonly GrammarNode[]): GrammarNode {
  return options.length === 1 && options[0] !== undefined
    ? options[0]
    : { type: "choice", options };
}

/** One of a list of parts. Literals become one list of words, which is looked up rather than tried one by one. */
export function choiceOf(options: readonly GrammarNode[]): GrammarNode {
  const [first] = options;
  if (options.length === 1 && first !== undefined) return first;
  const literals = options.flatMap((option) => (option.type === "words" ? option.words : []));
  const others = options.filter(({ type }) => type !== "words");
  if (literals.length === 0) return { type: "choice", options };
  if (others.length === 0) return words(literals);
  return { type: "choice", options: [words(literals), ...others] };
}

/** Absent `max`: no limit. */
export function repeat(of: GrammarNode, min: number, max?: number): GrammarNode {
  return { type: "repeat", of, min, max };
}

export function optional(of: GrammarNode): GrammarNode {
  return repeat(of, 0, 1);
}

export function intersection(...parts: readonly GrammarNode[]): GrammarNode {
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : { type: "intersection", parts };
}

export function complement(of: GrammarNode): GrammarNode {
  return { type: "complement", of };
}

export function lexeme(of: GrammarNode): GrammarNode {
  return { type: "lexeme", of };
}

export function rule(name: string): GrammarNode {
  return { type: "rule", name };
}
