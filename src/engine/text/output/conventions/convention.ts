import type { ReasoningFormat } from "../../../../core/output-format.js";
import type { CallIdStyle } from "../call-ids.js";

/** How a family of models writes tool calls and the text around them. */
export interface Convention {
  /**
   * The syntaxes of calls: first the template's own, which grammars enforce, then others that the
   * models lapse into. `harmony`: an answer is a series of messages with headers, and a header
   * names the function.
   */
  readonly calls: readonly CallSyntax[] | "harmony";
  /** The reasoning format if the template shows none. */
  readonly reasoning: ReasoningFormat;
  /** Marks around the answer's text that are not part of it. */
  readonly contentMarks?: readonly string[];
  /** The end of the prompt that belongs to the answer. */
  readonly promptOpening?: string;
  /** Whether unclosed reasoning ends where a call begins. */
  readonly callsEndReasoning?: true;
  /** Id format for calls written without one. */
  readonly ids: CallIdStyle;
  /**
   * Word lists that identify the instructions of a template that renders no calls: all words of one
   * list occur in them.
   */
  readonly instructions?: readonly (readonly string[])[];
}

/** A syntax of calls: sections that contain one or several calls. */
export interface CallSyntax {
  /** `beginning`: only at the beginning of an answer, or after another call. */
  readonly place: "anywhere" | "beginning";
  /**
   * `known`: names must be those of tools; needed for bare JSON, since an answer may be JSON, too.
   */
  readonly names: "any" | "known";
  /**
   * The texts around one call or around all calls. The opening may be missing if calls have one.
   */
  readonly section: { readonly open: string; readonly close: string };
  readonly sectionContent: "one-call" | "all-calls";
  /** Separator between two calls, and between two sections. */
  readonly callSeparator: string;
  readonly call: CallBody;
}

export type CallBody = EnvelopeBody | NamedBody;

/** A JSON object that contains the name and the arguments. */
export interface EnvelopeBody {
  readonly type: "envelope";
  /** Names of the members; with `name-as-key`, the only member's key is the function's name. */
  readonly members:
    | { readonly name: string; readonly arguments: readonly string[] }
    | "name-as-key";
  /** The object as written by the family. */
  readonly layout: readonly EnvelopePart[];
}

/** A frame with the name, then the arguments, then the closing text. */
export interface NamedBody {
  readonly type: "named";
  readonly head: readonly HeadPart[];
  readonly arguments: ArgumentsSyntax;
  readonly close: string;
}

/** The function's name. */
type NamePart = { readonly part: "name" };
type IdPart = { readonly part: "id"; readonly style: CallIdStyle };
/** The number of the call, which is ignored. */
type IndexPart = { readonly part: "index" };

/**
 * A part of the text before a call's arguments: literal text, or a variable. White space in literal
 * text may differ in a model's output.
 */
export type HeadPart =
  | string
  | NamePart
  | IdPart
  | IndexPart
  /** `functions.name:0`, which also is the id. */
  | { readonly part: "qualified-name" };

/** A part of a written envelope. */
export type EnvelopePart = string | NamePart | IdPart | IndexPart | { readonly part: "arguments" };

/** A part of the text before a parameter's value. */
export type ParameterPart =
  | string
  | { readonly part: "key" }
  /** Whether the value is a string, in the family's terms. */
  | { readonly part: "kind"; readonly string: string; readonly json: readonly string[] };

export type ArgumentsSyntax =
  | { readonly type: "json" }
  | ParametersSyntax
  | ElementsSyntax
  /** Python's keyword arguments. */
  | { readonly type: "keywords" }
  /** An object with bare keys and its own string delimiters. */
  | { readonly type: "marked-object"; readonly quote: string };

/** A frame for each parameter; strings are written verbatim. */
export interface ParametersSyntax {
  readonly type: "parameters";
  readonly open: readonly ParameterPart[];
  readonly close: string;
  /** A line feed around the value that is not part of it. */
  readonly padding: "" | "\n";
  /** Text after each parameter. */
  readonly after: string;
  /** Marks around strings that could be mistaken for marks. */
  readonly quote?: { readonly open: string; readonly close: string };
}

/** A tag for each parameter, which contains tags for the members and items of its value. */
export interface ElementsSyntax {
  readonly type: "elements";
  /** Text before each tag. */
  readonly mark: string;
}

export const NAME = { part: "name" } as const;
export const KEY = { part: "key" } as const;
export const INDEX = { part: "index" } as const;
export const ARGUMENTS = { part: "arguments" } as const;
