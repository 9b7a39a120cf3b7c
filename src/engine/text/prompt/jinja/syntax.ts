import { parse, tokenize } from "@huggingface/jinja";

export interface Identifier {
  readonly type: "Identifier";
  readonly value: string;
}

export interface Call {
  readonly type: "CallExpression";
  readonly callee: Expression;
  readonly args: readonly Argument[];
}

export interface KeywordArgument {
  readonly type: "KeywordArgumentExpression";
  readonly key: Identifier;
  readonly value: Expression;
}

export type Argument =
  | Expression
  | KeywordArgument
  | { readonly type: "SpreadExpression"; readonly argument: Expression }
  | { readonly type: "KeywordSpreadExpression"; readonly argument: Expression };

/** A parameter of a macro, with its default. */
export type Parameter = Identifier | KeywordArgument;

export interface Slice {
  readonly type: "SliceExpression";
  readonly start?: Expression;
  readonly stop?: Expression;
  readonly step?: Expression;
}

export interface Member {
  readonly type: "MemberExpression";
  readonly object: Expression;
  /** `computed`: any expression in brackets; otherwise a name or an index. */
  readonly property: Expression | Slice;
  readonly computed: boolean;
}

/** The names bound by a loop or an assignment. */
export interface Tuple {
  readonly type: "TupleLiteral";
  readonly value: readonly Expression[];
}

/** `value if test`; in a `for`, the filter of its items. */
export interface Selection {
  readonly type: "SelectExpression";
  readonly lhs: Expression;
  readonly test: Expression;
}

export interface Binary {
  readonly type: "BinaryExpression";
  readonly operator: { readonly value: string };
  readonly left: Expression;
  readonly right: Expression;
}

export type Filter = Identifier | Call;

export type Expression =
  | Identifier
  | { readonly type: "IntegerLiteral" | "FloatLiteral"; readonly value: number }
  | { readonly type: "StringLiteral"; readonly value: string }
  | { readonly type: "ArrayLiteral"; readonly value: readonly Expression[] }
  | Tuple
  | { readonly type: "ObjectLiteral"; readonly value: ReadonlyMap<Expression, Expression> }
  | Binary
  | {
      readonly type: "UnaryExpression";
      readonly operator: { readonly value: string };
      readonly argument: Expression;
    }
  | { readonly type: "FilterExpression"; readonly operand: Expression; readonly filter: Filter }
  | {
      readonly type: "TestExpression";
      readonly operand: Expression;
      readonly negate: boolean;
      readonly test: Identifier;
    }
  | Selection
  | {
      readonly type: "Ternary";
      readonly condition: Expression;
      readonly trueExpr: Expression;
      readonly falseExpr: Expression;
    }
  | Member
  | Call;

export interface Loop {
  readonly type: "For";
  readonly loopvar: Identifier | Tuple;
  readonly iterable: Expression;
  readonly body: readonly Statement[];
  /** Rendered if there are no items. */
  readonly defaultBlock: readonly Statement[];
}

export interface Assignment {
  readonly type: "Set";
  readonly assignee: Expression;
  /** `null` if the rendered body is assigned. */
  readonly value: Expression | null;
  readonly body: readonly Statement[];
}

export interface Macro {
  readonly type: "Macro";
  readonly name: Identifier;
  readonly args: readonly Parameter[];
  readonly body: readonly Statement[];
}

export interface CallBlock {
  readonly type: "CallStatement";
  readonly call: Call;
  readonly callerArgs: readonly Parameter[] | null;
  readonly body: readonly Statement[];
}

/** A statement; an expression as a statement is printed. */
export type Statement =
  | Expression
  | {
      readonly type: "If";
      readonly test: Expression;
      readonly body: readonly Statement[];
      readonly alternate: readonly Statement[];
    }
  | Loop
  | Assignment
  | Macro
  | CallBlock
  | {
      readonly type: "FilterStatement";
      readonly filter: Filter;
      readonly body: readonly Statement[];
    }
  | { readonly type: "Break" | "Continue" | "Comment" };

/**
 * Parses a template, with the white-space rules of Hugging Face transformers (`trim_blocks`,
 * `lstrip_blocks`) and Jinja's line breaks, which are line feeds.
 * @throws {Error} the template is invalid
 */
export function parseTemplate(source: string): readonly Statement[] {
  const tokens = tokenize(source.replace(/\r\n?/g, "\n"), {
    trim_blocks: true,
    lstrip_blocks: true,
  });
  try {
    // The package does not export the types of its syntax tree, which this module declares.
    return parse(tokens).body as readonly unknown[] as readonly Statement[];
  } catch (cause) {
    // The package's recursive parser does not bound its depth.
    if (!(cause instanceof RangeError)) throw cause;
    throw new SyntaxError("expected at most a few hundred levels of nested expressions or blocks", {
      cause,
    });
  }
}
