import type { ReasoningFormat } from "../../../../core/output-format.js";
import type { CallIdStyle } from "../call-ids.js";

/** How the models of a family write tool calls and what is around them. */
export interface Convention {
  /**
   * The ways in which calls are written: the template's own first, which is what a grammar holds
   * models to, then others that the models fall into. `harmony`: an answer is a series of messages
   * with headers, and a header names the function.
   */
  readonly calls: readonly CallSyntax[] | "harmony";
  /** The reasoning of models whose template shows none. */
  readonly reasoning: ReasoningFormat;
  /** Marks around the answer's text, which are no part of it. */
  readonly contentMarks?: readonly string[];
  /** What the prompt ends with although it belongs to the answer. */
  readonly openedBy?: string;
  /** Reasoning that was not closed ends where a call begins. */
  readonly callsEndReasoning?: true;
  /** Ids for calls that are written without one. */
  readonly ids: CallIdStyle;
  /**
   * Texts with which a template that renders no calls asks for them: the words of one of these lists
   * are all in its instructions.
   */
  readonly instructions?: readonly (readonly string[])[];
}

/** One way of writing calls: sections that hold one call or several. */
export interface CallSyntax {
  /** `beginning`: only as the first thing of an answer, or after another call. */
  readonly place: "anywhere" | "beginning";
  /** Names of calls: those of bare JSON are checked, since an answer may be JSON, too. */
  readonly names: "any" | "known";
  /** The texts around one call or around all of them. The opening may be missing if calls have one. */
  readonly section: { readonly open: string; readonly close: string };
  readonly holds: "one-call" | "all-calls";
  /** Between two calls, and between two sections. */
  readonly between: string;
  readonly call: CallBody;
}

export type CallBody = EnvelopeBody | NamedBody;

/** A JSON object that holds the name and the arguments. */
export interface EnvelopeBody {
  readonly type: "envelope";
  /** Names of the members; `key`: the only member's key is the function's name. */
  readonly members:
    | { readonly name: string; readonly arguments: readonly string[] }
    | "name-as-key";
  /** The object as the family writes it. */
  readonly written: readonly EnvelopePart[];
}

/** The name in a frame of its own, then the arguments, then the closing text. */
export interface NamedBody {
  readonly type: "named";
  readonly head: readonly HeadPart[];
  readonly arguments: ArgumentsSyntax;
  readonly close: string;
}

/** The function's name. */
type NamePart = { readonly part: "name" };
type IdPart = { readonly part: "id"; readonly style: CallIdStyle };
/** The number of the call, which is not used. */
type IndexPart = { readonly part: "index" };

/**
 * A part of what stands before a call's arguments: literal text, or what differs from call to call.
 * White space in literal text may be more or less in what models write.
 */
export type HeadPart =
  | string
  | NamePart
  | IdPart
  | IndexPart
  /** `functions.name:0`, which is the id as well. */
  | { readonly part: "qualified-name" };

/** A part of an envelope as it is written. */
export type EnvelopePart = string | NamePart | IdPart | IndexPart | { readonly part: "arguments" };

/** A part of what stands before a parameter's value. */
export type ParameterPart =
  | string
  | { readonly part: "key" }
  /** Whether the value is a string, in the family's words. */
  | { readonly part: "kind"; readonly string: string; readonly json: readonly string[] };

export type ArgumentsSyntax =
  | { readonly type: "json" }
  | ParametersSyntax
  | ElementsSyntax
  /** Python's keyword arguments. */
  | { readonly type: "keywords" }
  /** An object with bare keys, and strings between marks of their own. */
  | { readonly type: "marked-object"; readonly quote: string };

/** Each parameter in a frame of its own, strings as they are. */
export interface ParametersSyntax {
  readonly type: "parameters";
  readonly open: readonly ParameterPart[];
  readonly close: string;
  /** A line feed around the value that is no part of it. */
  readonly padding: "" | "\n";
  /** Behind each parameter. */
  readonly after: string;
  /** Marks around strings that could be taken for marks themselves. */
  readonly quote?: { readonly open: string; readonly close: string };
}

/** Each parameter in a tag of its name, and within it the members and items of its value. */
export interface ElementsSyntax {
  readonly type: "elements";
  /** Before each tag. */
  readonly mark: string;
}

export const NAME = { part: "name" } as const;
export const KEY = { part: "key" } as const;
export const INDEX = { part: "index" } as const;
export const ARGUMENTS = { part: "arguments" } as const;
