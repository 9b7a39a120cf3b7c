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
  /** Members behind the named ones, by disjoint languages of keys. */
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
