import type { Expression } from "../language/expression.js";
import { isNullable } from "../language/nullable.js";

/** The control tokens that may come next: some, or any of them but a few. */
export type LeadingTokens =
  | { readonly kind: "some"; readonly tokens: readonly number[] }
  | { readonly kind: "any" };

const NONE: LeadingTokens = { kind: "some", tokens: [] };

/** Rules that name others twice would be looked at as often as these double. */
const known = new WeakMap<Expression, LeadingTokens>();

/** The control tokens that the texts of a language may begin with; a few more where any text may come. */
export function leadingTokens(expression: Expression): LeadingTokens {
  let leading = known.get(expression);
  if (leading === undefined) {
    leading = compute(expression);
    known.set(expression, leading);
  }
  return leading;
}

function compute({ form }: Expression): LeadingTokens {
  switch (form.kind) {
    case "control-token":
      return { kind: "some", tokens: [form.token] };
    case "scan":
      return { kind: "any" };
    case "choice":
      return form.options.map((option) => leadingTokens(option)).reduce(union, NONE);
    case "sequence": {
      const first = leadingTokens(form.head);
      return isNullable(form.head) ? union(first, leadingTokens(form.tail)) : first;
    }
    case "repeat":
      return leadingTokens(form.of);
    case "rule":
      return leadingTokens(form.body());
    default:
      return NONE;
  }
}

function union(a: LeadingTokens, b: LeadingTokens): LeadingTokens {
  if (a.kind === "any" || b.kind === "any") return { kind: "any" };
  return { kind: "some", tokens: [...new Set([...a.tokens, ...b.tokens])] };
}
