/** A piece of a model's output: text, cut anywhere, or a control token by its name. */
export type OutputPiece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "control-token"; readonly text: string };

/** A range of what is text in an output, control tokens left out, in characters (UTF-16 units). */
export interface TextSpan {
  readonly from: number;
  readonly to: number;
}

/** A part of a model's output, by purpose. Parts of one call are adjacent. */
export type OutputPart =
  | {
      readonly type: "text" | "reasoning";
      readonly text: string;
      /** Where it is in the output: in several places if something between them was dropped. */
      readonly spans: readonly TextSpan[];
    }
  | {
      readonly type: "tool-call-begin";
      readonly name: string;
      /** As the model wrote it. */
      readonly id?: string;
    }
  /** The next piece of the arguments: JSON text. */
  | { readonly type: "tool-call-arguments"; readonly text: string }
  /** The call is complete, with what closes it. A call that is cut off has none. */
  | { readonly type: "tool-call-end" };
