/** A piece of a model's output: text, cut anywhere, or a control token by its name. */
export type OutputPiece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "control-token"; readonly text: string };

/** A part of a model's output, by purpose. Parts of one call are adjacent. */
export type OutputPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
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
