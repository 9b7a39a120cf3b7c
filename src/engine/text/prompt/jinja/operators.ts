import { printed } from "./print.js";
import { isMember } from "./tests.js";
import {
  compare,
  float,
  isEqual,
  isNumber,
  NumberLiteral,
  numberOf,
  TemplateError,
  typeName,
  type Value,
  withBooleanAsNumber,
} from "./value.js";

/**
 * A binary operation other than `and` and `or`.
 * @throws {TemplateError} it is not defined for the operands
 */
export function operate(operator: string, left: Value, right: Value): Value {
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
      return printed(left) + printed(right);
    case "<":
    case "<=":
    case ">":
    case ">=":
      return ordered(operator, compare(left, right, true));
    default:
      return calculate(operator, left, right);
  }
}

function ordered(operator: "<" | "<=" | ">" | ">=", order: number): boolean {
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
      return concatenable(left) + concatenable(right);
    }
  }
  if (operator === "*") {
    if (typeof left === "string" && typeof b === "number") return left.repeat(Math.max(0, b));
    if (typeof right === "string" && typeof a === "number") return right.repeat(Math.max(0, a));
  }
  throw new TemplateError(
    `unsupported operand types for ${operator}: ${typeName(left)} and ${typeName(right)}`,
  );
}

/** As in llama.cpp, templates may add a value that is missing to a text; in Python they may not. */
function concatenable(value: Value): string {
  return value === null ? "" : printed(value);
}

type Operand = number | NumberLiteral;

function calculateNumber(operator: string, left: Operand, right: Operand): Value {
  const result = calculated(operator, numberOf(left), numberOf(right));
  const isFloat = left instanceof NumberLiteral || right instanceof NumberLiteral;
  return isFloat || operator === "/" ? float(result) : result;
}

const DIVISIONS: ReadonlySet<string> = new Set(["/", "//", "%"]);

/** Python's arithmetic: `//` and `%` round towards negative infinity. */
function calculated(operator: string, left: number, right: number): number {
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

/** `-value` and `+value`. */
export function signed(operator: string, value: Value): Value {
  if (!isNumber(value)) throw new TemplateError(`bad operand for ${operator}: ${typeName(value)}`);
  if (operator === "+") return value;
  return typeof value === "number" ? -value : float(-value.value);
}
