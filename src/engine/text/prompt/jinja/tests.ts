import {
  compare,
  isEqual,
  isInteger,
  isNumber,
  numberOf,
  TemplateError,
  type Value,
  withBooleanAsNumber,
} from "./value.js";

type Test = (value: Value, compared: Value) => boolean;

const isNotEqual: Test = (value, compared) => !isEqual(value, compared);
const isGreater: Test = (value, compared) => compare(value, compared, true) > 0;
const isAtLeast: Test = (value, compared) => compare(value, compared, true) >= 0;
const isLess: Test = (value, compared) => compare(value, compared, true) < 0;
const isAtMost: Test = (value, compared) => compare(value, compared, true) <= 0;

const tests: Readonly<Record<string, Test>> = {
  defined: (value) => value !== undefined,
  undefined: (value) => value === undefined,
  none: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  true: (value) => value === true,
  false: (value) => value === false,
  string: (value) => typeof value === "string",
  number: (value) => isNumber(withBooleanAsNumber(value)),
  integer: isInteger,
  float: (value) => isNumber(value) && !isInteger(value),
  mapping: (value) => value instanceof Map,
  iterable: isSequence,
  sequence: isSequence,
  callable: (value) => typeof value === "function",
  odd: (value) => isNumber(value) && Math.abs(numberOf(value) % 2) === 1,
  even: (value) => isNumber(value) && numberOf(value) % 2 === 0,
  lower: (value) => typeof value === "string" && value === value.toLowerCase(),
  upper: (value) => typeof value === "string" && value === value.toUpperCase(),
  equalto: isEqual,
  eq: isEqual,
  "==": isEqual,
  ne: isNotEqual,
  "!=": isNotEqual,
  gt: isGreater,
  greaterthan: isGreater,
  ">": isGreater,
  ge: isAtLeast,
  ">=": isAtLeast,
  lt: isLess,
  lessthan: isLess,
  "<": isLess,
  le: isAtMost,
  "<=": isAtMost,
  divisibleby: (value, divisor) =>
    isNumber(value) && isNumber(divisor) && numberOf(value) % numberOf(divisor) === 0,
  in: (value, compared) => isMember(value, compared),
};

/**
 * Returns whether a value is a sequence. In Jinja, undefined is iterable and a dictionary is a
 * sequence.
 */
function isSequence(value: Value): boolean {
  const isCollection = Array.isArray(value) || value instanceof Map;
  return isCollection || typeof value === "string" || value === undefined;
}

/** @throws {TemplateError} the test does not exist */
export function findTest(name: string): Test {
  const test = Object.hasOwn(tests, name) ? tests[name] : undefined;
  if (test === undefined) throw new TemplateError(`No test named '${name}'`);
  return test;
}

/** Evaluates `value in collection`; an undefined collection is empty. */
export function isMember(value: Value, collection: Value): boolean {
  if (collection === undefined) return false;
  if (typeof collection === "string") {
    return typeof value === "string" && collection.includes(value);
  }
  if (Array.isArray(collection)) return collection.some((item) => isEqual(item, value));
  if (collection instanceof Map) return collection.has(value);
  throw new TemplateError("'in' expects a text, a list or a dictionary");
}
