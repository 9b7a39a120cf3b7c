import assert from "node:assert/strict";
import type { Expression } from "./expression.js";

/** Expressions whose nullability is being computed: meeting one again means left recursion. */
const inProgress = new Set<Expression>();

/** Whether a language has the empty text. Rules must not be left-recursive. */
export function isNullable(expression: Expression): boolean {
  if (expression.nullable === undefined) {
    assert(!inProgress.has(expression), "a left-recursive rule");
    inProgress.add(expression);
    try {
      expression.nullable = compute(expression);
    } finally {
      inProgress.delete(expression);
    }
  }
  return expression.nullable;
}

function compute({ form }: Expression): boolean {
  switch (form.kind) {
    case "nothing":
    case "byte":
    case "control-token":
      return false;
    case "empty":
      return true;
    case "words":
      return form.list.words[form.from]?.length === form.depth;
    case "sequence":
      return isNullable(form.head) && isNullable(form.tail);
    case "choice":
      return form.options.some(isNullable);
    case "repeat":
      return form.min === 0 || isNullable(form.of);
    case "intersection":
      return form.parts.every(isNullable);
    case "complement":
      return !isNullable(form.of);
    case "multiple":
      return form.remainder === 0;
    case "lexeme":
      return isNullable(form.of);
    case "scan":
      return form.ends === "before-trigger";
    case "rule":
      return isNullable(form.body());
  }
}
