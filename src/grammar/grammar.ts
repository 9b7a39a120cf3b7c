/**
 * Language: the set of texts that a generation may write, over the bytes of UTF-8 and the control
 * tokens of a model. Plain data: it may cross a process boundary.
 */
export interface Grammar {
  readonly root: GrammarNode;
  /** Rules by name, for recursion and for parts that occur in several places. */
  readonly rules: Readonly<Record<string, GrammarNode>>;
}

/** First and last code point of a range. */
export type CodePointRange = readonly [first: number, last: number];

/**
 * Encoding of characters. `in-json`: as JSON printers write them within a string, so that ASCII
 * letters have one form: unescaped where that is allowed, short escapes, and `\u` escapes for
 * control characters and non-ASCII characters. `in-json-freely`: like `in-json`, with `\u` escapes
 * allowed for all characters.
 */
export type CharacterEncoding = "plain" | "in-json" | "in-json-freely";

/** Part of a grammar. */
export type GrammarNode =
  /** One of these texts; an empty list matches nothing. */
  | { readonly type: "words"; readonly words: readonly string[] }
  /** One character of a set, in UTF-8 or as encoded within a JSON string. */
  | {
      readonly type: "character";
      readonly ranges: readonly CodePointRange[];
      readonly encoding: CharacterEncoding;
    }
  /** Token without text, by its name: `[TOOL_CALLS]`. */
  | { readonly type: "control-token"; readonly text: string }
  | { readonly type: "sequence"; readonly parts: readonly GrammarNode[] }
  | { readonly type: "choice"; readonly options: readonly GrammarNode[] }
  /** Repetition; absent `max`: no limit. */
  | {
      readonly type: "repeat";
      readonly of: GrammarNode;
      readonly min: number;
      readonly max?: number | undefined;
    }
  /**
   * Texts that all parts match. The parts must be regular, without recursive rules. Outside of
   * lexemes one part may be recursive, if every prefix of its texts can be completed within the
   * other parts.
   */
  | { readonly type: "intersection"; readonly parts: readonly GrammarNode[] }
  /** Byte strings that a regular part does not match. */
  | { readonly type: "complement"; readonly of: GrammarNode }
  /** Decimal digits of a multiple of `divisor`, or no digits. */
  | { readonly type: "multiple"; readonly divisor: number }
  /** Regular part with few states: token masks are computed and cached for it as a whole. */
  | { readonly type: "lexeme"; readonly of: GrammarNode }
  /** Any text and control tokens, up to and including the first of these triggers. */
  | { readonly type: "until"; readonly ends: readonly Trigger[] }
  /** Any text and control tokens that contain none of these triggers. */
  | { readonly type: "without"; readonly ends: readonly Trigger[] }
  | MembersNode
  | { readonly type: "rule"; readonly name: string };

/** Text or control token at which a part of the output begins or ends. */
export type Trigger =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "control-token"; readonly text: string };

/** Members of a JSON object, without its braces: named members in order, then additional ones. */
export interface MembersNode {
  readonly type: "members";
  readonly named: readonly NamedMember[];
  /** Members after the named ones, by disjoint languages of keys. */
  readonly additional: readonly AdditionalMember[];
  /** Separator between two members. */
  readonly separator: GrammarNode;
  /**
   * Minimum number of members with different keys; each language of additional keys counts once.
   */
  readonly min: number;
  readonly max?: number | undefined;
}

export interface NamedMember {
  readonly presence: "required" | "optional";
  /** Key, colon and value. */
  readonly text: GrammarNode;
}

export interface AdditionalMember {
  /**
   * Allowed occurrences. `required`: exactly once, for a required member without a position in
   * the order.
   */
  readonly presence: "required" | "any-number";
  readonly text: GrammarNode;
}

/** Matches nothing. */
export const NOTHING: GrammarNode = { type: "words", words: [] };
/** Matches the empty text. */
export const EMPTY: GrammarNode = { type: "sequence", parts: [] };

/** Matches one text. */
export function text(word: string): GrammarNode {
  return word === "" ? EMPTY : { type: "words", words: [word] };
}

/** Matches one of several texts. */
export function words(list: readonly string[]): GrammarNode {
  return { type: "words", words: list };
}

/** Matches one character of a set, in UTF-8. */
export function character(...ranges: readonly CodePointRange[]): GrammarNode {
  return { type: "character", ranges, encoding: "plain" };
}

/** Matches one character of a set, as encoded within a JSON string. */
export function jsonCharacter(
  ranges: readonly CodePointRange[],
  encoding: "in-json" | "in-json-freely" = "in-json",
): GrammarNode {
  return { type: "character", ranges, encoding };
}

export function sequence(...parts: readonly GrammarNode[]): GrammarNode {
  return buildSequence(parts);
}

/**
 * Matches parts in sequence. Takes a list, because there may be more parts than a call accepts as
 * arguments.
 */
export function buildSequence(parts: readonly GrammarNode[]): GrammarNode {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : { type: "sequence", parts };
}

export function choice(...options: readonly GrammarNode[]): GrammarNode {
  return options.length === 1 && options[0] !== undefined
    ? options[0]
    : { type: "choice", options };
}

/**
 * Matches one of several parts. Merges literals into one word list, which is searched by index
 * instead of being tried one by one.
 */
export function buildChoice(options: readonly GrammarNode[]): GrammarNode {
  const [first] = options;
  if (options.length === 1 && first !== undefined) return first;
  const literals = options.flatMap((option) => (option.type === "words" ? option.words : []));
  const others = options.filter(({ type }) => type !== "words");
  if (literals.length === 0) return { type: "choice", options };
  if (others.length === 0) return words(literals);
  return { type: "choice", options: [words(literals), ...others] };
}

/** @param max absent: no limit */
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
