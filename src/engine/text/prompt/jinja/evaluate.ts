import { findFilter } from "./filters.js";
import { getAttribute, getSubscript, type SliceBounds, slice } from "./members.js";
import type { Argument, Binary, Call, Expression, Filter, Member, Slice } from "./syntax.js";
import { findTest, isMember } from "./tests.js";
import {
  type Arguments,
  compare,
  type Dictionary,
  float,
  formatValue,
  isEqual,
  isNumber,
  isTruthy,
  itemsOf,
  NO_ARGUMENTS,
  NumberLiteral,
  numberOf,
  TemplateError,
  typeNameOf,
  type Value,
  withBooleanAsNumber,
} from "./value.js";

/** Variables of a template, a loop or a macro, nested in the outer scopes. */
export class Scope {
  readonly #variables = new Map<string, Value>();
  readonly #outer: Scope | undefined;

  constructor(outer?: Scope) {
    this.#outer = outer;
  }

  /** Returns a variable's value; undefined if it does not exist. */
  get(name: string): Value {
    if (this.#variables.has(name)) return this.#variables.get(name);
    return this.#outer?.get(name);
  }

  /** Sets a variable in this scope, which shadows outer ones of the same name. */
  set(name: string, value: Value): void {
    this.#variables.set(name, value);
  }
}

/**
 * Evaluates an expression.
 * @throws {TemplateError} the expression has no value, or a function that it calls raises an
 *   exception
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
      return evaluateDictionary(node.value, scope);
    case "BinaryExpression":
      return evaluateBinary(node, scope);
    case "UnaryExpression":
      return evaluateUnary(node.operator.value, evaluate(node.argument, scope));
    case "FilterExpression":
      return applyFilter(node.filter, evaluate(node.operand, scope), scope);
    case "TestExpression":
      return findTest(node.test.value)(evaluate(node.operand, scope), undefined) !== node.negate;
    case "SelectExpression":
      return isTruthy(evaluate(node.test, scope)) ? evaluate(node.lhs, scope) : undefined;
    case "Ternary":
      return isTruthy(evaluate(node.condition, scope))
        ? evaluate(node.trueExpr, scope)
        : evaluate(node.falseExpr, scope);
    case "MemberExpression":
      return evaluateMember(node, scope);
    case "CallExpression":
      return call(node, evaluateArguments(node.args, scope), scope);
  }
}

/** Calls the function that an expression evaluates to. */
export function call(node: Call, args: Arguments, scope: Scope): Value {
  const callee = evaluate(node.callee, scope);
  if (typeof callee !== "function") {
    const { callee: called } = node;
    const name = called.type === "Identifier" ? called.value : "the expression";
    throw new TemplateError(`${name} is not a function`);
  }
  return callee(args);
}

/** Evaluates the arguments of a call, in Python's order. */
export function evaluateArguments(nodes: readonly Argument[], scope: Scope): Arguments {
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
        for (const [name, value] of toKeywords(evaluate(node.argument, scope))) {
          keywords.set(name, value);
        }
        break;
      default:
        positional.push(evaluate(node, scope));
    }
  }
  return { positional, keywords };
}

function toKeywords(value: Value): [string, Value][] {
  if (!(value instanceof Map)) throw new TemplateError("argument after ** must be a dictionary");
  return [...value].map(([name, item]) => [String(name), item]);
}

export function applyFilter(filter: Filter, value: Value, scope: Scope): Value {
  if (filter.type === "Identifier") return findFilter(filter.value)(value, NO_ARGUMENTS);
  const { callee, args } = filter;
  if (callee.type !== "Identifier") throw new TemplateError("a filter needs a name");
  return findFilter(callee.value)(value, evaluateArguments(args, scope));
}

function evaluateDictionary(
  entries: ReadonlyMap<Expression, Expression>,
  scope: Scope,
): Dictionary {
  return new Map(
    [...entries].map(([key, value]) => [evaluate(key, scope), evaluate(value, scope)]),
  );
}

/**
 * Evaluates a binary expression. `and` and `or` return one of their operands, and evaluate the
 * second only if needed.
 */
function evaluateBinary({ operator, left, right }: Binary, scope: Scope): Value {
  const first = evaluate(left, scope);
  if (operator.value === "and") return isTruthy(first) ? evaluate(right, scope) : first;
  if (operator.value === "or") return isTruthy(first) ? first : evaluate(right, scope);
  return operate(operator.value, first, evaluate(right, scope));
}

function evaluateUnary(operator: string, value: Value): Value {
  return operator === "not" ? !isTruthy(value) : applySign(operator, value);
}

function evaluateMember({ object: owner, property, computed }: Member, scope: Scope): Value {
  const object = evaluate(owner, scope);
  if (property.type === "SliceExpression") return slice(object, evaluateBounds(property, scope));
  if (computed) return getSubscript(object, evaluate(property, scope));
  if (property.type === "Identifier") return getAttribute(object, property.value);
  return getSubscript(object, evaluate(property, scope));
}

function evaluateBounds({ start, stop, step }: Slice, scope: Scope): SliceBounds {
  return {
    start: evaluateBound(start, scope),
    stop: evaluateBound(stop, scope),
    step: evaluateBound(step, scope),
  };
}

function evaluateBound(node: Expression | undefined, scope: Scope): number | undefined {
  const value = node && evaluate(node, scope);
  return isNumber(value) ? numberOf(value) : undefined;
}

/**
 * Evaluates a binary operation other than `and` and `or`.
 * @throws {TemplateError} the operation is not defined for the operands
 */
function operate(operator: string, left: Value, right: Value): Value {
  switch (operator) {
    case "==":
      return isEqual(left, right);
    case "!=":
      return !isEqual(left, right);
    case "in":
      return isMember(left, right);
    case "not in":
      return !isMember(left, right);
    case "~":
      return formatValue(left) + formatValue(right);
    case "<":
    case "<=":
    case ">":
    case ">=":
      return isOrdered(operator, compare(left, right, true));
    default:
      return calculate(operator, left, right);
  }
}

function isOrdered(operator: "<" | "<=" | ">" | ">=", order: number): boolean {
  if (operator === "<") return order < 0;
  if (operator === ">") return order > 0;
  return operator === "<=" ? order <= 0 : order >= 0;
}

function calculate(operator: string, left: Value, right: Value): Value {
  const [a, b] = [withBooleanAsNumber(left), withBooleanAsNumber(right)];
  if (isNumber(a) && isNumber(b)) return calculateNumber(operator, a, b);
  if (operator === "+") {
    if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
    if (typeof left === "string" || typeof right === "string") {
      return toConcatenable(left) + toConcatenable(right);
    }
  }
  if (operator === "*") {
    if (typeof left === "string" && typeof b === "number") return left.repeat(Math.max(0, b));
    if (typeof right === "string" && typeof a === "number") return right.repeat(Math.max(0, a));
  }
  throw new TemplateError(
    `unsupported operand types for ${operator}: ${typeNameOf(left)} and ${typeNameOf(right)}`,
  );
}

/**
 * Converts an operand of a concatenation. As in llama.cpp but not in Python, a missing value may be
 * added to a text.
 */
function toConcatenable(value: Value): string {
  return value === null ? "" : formatValue(value);
}

type Operand = number | NumberLiteral;

function calculateNumber(operator: string, left: Operand, right: Operand): Value {
  const result = computeNumber(operator, numberOf(left), numberOf(right));
  const isFloat = left instanceof NumberLiteral || right instanceof NumberLiteral;
  return isFloat || operator === "/" ? float(result) : result;
}

const DIVISIONS: ReadonlySet<string> = new Set(["/", "//", "%"]);

/** Computes with Python's arithmetic: `//` and `%` round towards negative infinity. */
function computeNumber(operator: string, left: number, right: number): number {
  if (right === 0 && DIVISIONS.has(operator)) throw new TemplateError("division by zero");
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / right;
    case "//":
      return Math.floor(left / right);
    case "%":
      return left - right * Math.floor(left / right);
    case "**":
      return left ** right;
    default:
      throw new TemplateError(`unknown operator ${operator}`);
  }
}

/** Evaluates `-value` and `+value`. */
function applySign(operator: string, value: Value): Value {
  if (!isNumber(value))
    throw new TemplateError(`bad operand for ${operator}: ${typeNameOf(value)}`);
  if (operator === "+") return value;
  return typeof value === "number" ? -value : float(-value.value);
}
