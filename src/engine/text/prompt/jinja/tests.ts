import { isEqual, isInteger, isNumber, numberOf, TemplateError, type Value } from "./value.js";

type Test = (value: Value, compared: Value) => boolean;

const tests: Readonly<Record<string, Test>> = {
  defined: (value) => value !== undefined,
  undefined: (value) => value === undefined,
  none: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  true: (value) => value === true,
  false: (value) => value === false,
  string: (value) => typeof value === "string",
  number: isNumber,
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
  ne: (value, compared) => !isEqual(value, compared),
  in: (value, compared) => isMember(value, compared),
};

/** Undefined is iterable in Jinja, and a dictionary is a sequence. */
function isSequence(value: Value): boolean {
  const isCollection = Array.isArray(value) || value instanceof Map;
  return isCollection || typeof value === "string" || value === undefined;
}

/** @throws {TemplateError} there is no such test */
export function testNamed(name: string): Test {
  const test = Object.hasOwn(tests, name) ? tests[name] : undefined;
  if (test === undefined) throw new TemplateError(`No test named '${name}'`);
  return test;
}

/** `value in collection`; nothing is in an undefined one. */
export function isMember(value: Value, collection: Value): boolean {
  if (collection === undefined) return false;
  if (typeof collection === "string") {
    return typeof value === "string" && collection.includes(value);
  }
  if (Array.isArray(collection)) return collection.some((item) => isEqual(item, value));
  if (collection instanceof Map) return collection.has(value);
  throw new TemplateError("'in' expects a text, a list or a dictionary");
}
