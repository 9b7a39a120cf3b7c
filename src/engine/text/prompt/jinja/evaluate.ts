import { filterNamed } from "./filters.js";
import { attribute, type SliceBounds, slice, subscript } from "./member.js";
import { operate, signed } from "./operators.js";
import type { Scope } from "./scope.js";
import type { Argument, Binary, Call, Expression, Filter, Member, Slice } from "./syntax.js";
import { testNamed } from "./tests.js";
import {
  type Arguments,
  type Dictionary,
  float,
  isNumber,
  isTruthy,
  itemsOf,
  NO_ARGUMENTS,
  numberOf,
  TemplateError,
  type Value,
} from "./value.js";

/**
 * The value of an expression.
 * @throws {TemplateError} it has none, or a function that it calls raises an exception
 */
export function evaluate(node: Expression, scope: Scope): Value {
  switch (node.type) {
    case "Identifier":
      return scope.get(node.value);
    case "IntegerLiteral":
    case "StringLiteral":
      return node.value;
    case "FloatLiteral":
      return float(node.value);
    case "ArrayLiteral":
    case "TupleLiteral":
      return node.value.map((item) => evaluate(item, scope));
    case "ObjectLiteral":
      return dictionary(node.value, scope);
    case "BinaryExpression":
      return binary(node, scope);
    case "UnaryExpression":
      return unary(node.operator.value, evaluate(node.argument, scope));
    case "FilterExpression":
      return applyFilter(node.filter, evaluate(node.operand, scope), scope);
    case "TestExpression":
      return testNamed(node.test.value)(evaluate(node.operand, scope), undefined) !== node.negate;
    case "SelectExpression":
      return isTruthy(evaluate(node.test, scope)) ? evaluate(node.lhs, scope) : undefined;
    case "Ternary":
      return isTruthy(evaluate(node.condition, scope))
        ? evaluate(node.trueExpr, scope)
        : evaluate(node.falseExpr, scope);
    case "MemberExpression":
      return member(node, scope);
    case "CallExpression":
      return call(node, argumentsOf(node.args, scope), scope);
  }
}

/** Calls what an expression names. */
export function call(node: Call, args: Arguments, scope: Scope): Value {
  const callee = evaluate(node.callee, scope);
  if (typeof callee !== "function") {
    const { callee: called } = node;
    const name = called.type === "Identifier" ? called.value : "the expression";
    throw new TemplateError(`${name} is not a function`);
  }
  return callee(args);
}

/** Evaluates the arguments of a call, in the order of Python. */
export function argumentsOf(nodes: readonly Argument[], scope: Scope): Arguments {
  const positional: Value[] = [];
  const keywords = new Map<string, Value>();
  for (const node of nodes) {
    switch (node.type) {
      case "KeywordArgumentExpression":
        keywords.set(node.key.value, evaluate(node.value, scope));
        break;
      case "SpreadExpression":
        positional.push(...itemsOf(evaluate(node.argument, scope)));
        break;
      case "KeywordSpreadExpression":
        for (const [name, value] of keywordsIn(evaluate(node.argument, scope))) {
          keywords.set(name, value);
        }
        break;
      default:
        positional.push(evaluate(node, scope));
    }
  }
  return { positional, keywords };
}

function keywordsIn(value: Value): [string, Value][] {
  if (!(value instanceof Map)) throw new TemplateError("argument after ** must be a dictionary");
  return [...value].map(([name, item]) => [String(name), item]);
}

export function applyFilter(filter: Filter, value: Value, scope: Scope): Value {
  if (filter.type === "Identifier") return filterNamed(filter.value)(value, NO_ARGUMENTS);
  const { callee, args } = filter;
  if (callee.type !== "Identifier") throw new TemplateError("a filter needs a name");
  return filterNamed(callee.value)(value, argumentsOf(args, scope));
}

function dictionary(entries: ReadonlyMap<Expression, Expression>, scope: Scope): Dictionary {
  return new Map(
    [...entries].map(([key, value]) => [evaluate(key, scope), evaluate(value, scope)]),
  );
}

/** `and` and `or` give one of their operands, and evaluate the second only if they need it. */
function binary({ operator, left, right }: Binary, scope: Scope): Value {
  const first = evaluate(left, scope);
  if (operator.value === "and") return isTruthy(first) ? evaluate(right, scope) : first;
  if (operator.value === "or") return isTruthy(first) ? first : evaluate(right, scope);
  return operate(operator.value, first, evaluate(right, scope));
}

function unary(operator: string, value: Value): Value {
  return operator === "not" ? !isTruthy(value) : signed(operator, value);
}

function member({ object: owner, property, computed }: Member, scope: Scope): Value {
  const object = evaluate(owner, scope);
  if (property.type === "SliceExpression") return slice(object, bounds(property, scope));
  if (computed) return subscript(object, evaluate(property, scope));
  if (property.type === "Identifier") return attribute(object, property.value);
  return subscript(object, evaluate(property, scope));
}

function bounds({ start, stop, step }: Slice, scope: Scope): SliceBounds {
  return { start: bound(start, scope), stop: bound(stop, scope), step: bound(step, scope) };
}

function bound(node: Expression | undefined, scope: Scope): number | undefined {
  const value = node && evaluate(node, scope);
  return isNumber(value) ? numberOf(value) : undefined;
}
