/** A piece of a model's output: text, cut anywhere, or the name of a control token. */
export type OutputPiece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "control-token"; readonly text: string };

/** A range of an output's visible text, which excludes control tokens, in UTF-16 code units. */
export interface TextSpan {
  readonly from: number;
  readonly to: number;
}

/** A part of a model's output, by purpose. Parts of one call are adjacent. */
export type OutputPart =
  | {
      readonly type: "text" | "reasoning";
      readonly text: string;
      /** Ranges of the part in the output; several if something between them was dropped. */
      readonly spans: readonly TextSpan[];
    }
  | {
      readonly type: "tool-call-begin";
      readonly name: string;
      /** The id that the model wrote. */
      readonly id?: string;
    }
  /** The next piece of the arguments, as JSON text. */
  | { readonly type: "tool-call-arguments"; readonly text: string }
  /** The call is complete, including its closing text. A truncated call has no such part. */
  | { readonly type: "tool-call-end" };
