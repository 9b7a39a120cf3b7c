import { textMethod } from "./text-methods.js";
import {
  argument,
  type Callable,
  type Dictionary,
  isNumber,
  Namespace,
  numberOf,
  TemplateError,
  typeName,
  type Value,
} from "./value.js";

/**
 * `object.name`: in Python's order, so that the methods of a dictionary hide its members of the same
 * name. A member that does not exist is undefined, also of an undefined object.
 */
export function attribute(object: Value, name: string): Value {
  return method(object, name) ?? item(object, name);
}

/** `object[key]`: the member if there is one, otherwise the method of that name. */
export function subscript(object: Value, key: Value): Value {
  return item(object, key) ?? (typeof key === "string" ? method(object, key) : undefined);
}

function item(object: Value, key: Value): Value {
  if (object instanceof Map) return object.get(key);
  if (object instanceof Namespace) return object.attributes.get(key);
  if (!isNumber(key)) return undefined;
  if (Array.isArray(object)) return object.at(numberOf(key));
  return typeof object === "string" ? [...object].at(numberOf(key)) : undefined;
}

function method(object: Value, name: string): Callable | undefined {
  if (typeof object === "string") {
    const found = textMethod(name);
    return found && ((args) => found(object, args));
  }
  if (object instanceof Map) return dictionaryMethod(object, name);
  // As in llama.cpp: templates iterate over members that a schema may lack.
  if (object === undefined && name === "items") return () => [];
  return Array.isArray(object) ? listMethod(object, name) : undefined;
}

function dictionaryMethod(entries: Dictionary, name: string): Callable | undefined {
  switch (name) {
    case "get":
      return (args) => {
        const key = args.positional[0];
        return entries.has(key) ? entries.get(key) : (argument(args, 1, "default") ?? null);
      };
    case "items":
      return () => [...entries].map(([key, value]) => [key, value]);
    case "keys":
      return () => [...entries.keys()];
    case "values":
      return () => [...entries.values()];
    default:
      return undefined;
  }
}

function listMethod(items: Value[], name: string): Callable | undefined {
  switch (name) {
    case "append":
      return ({ positional }) => {
        items.push(positional[0]);
        return null;
      };
    case "pop":
      return ({ positional: [index] }) => {
        const [removed] = items.splice(isNumber(index) ? numberOf(index) : -1, 1);
        return removed;
      };
    case "index":
      return ({ positional }) => {
        const index = items.indexOf(positional[0]);
        if (index < 0) throw new TemplateError(`${typeName(positional[0])} is not in list`);
        return index;
      };
    default:
      return undefined;
  }
}

/** `object[start:stop:step]` of a list or a text, with Python's rules. */
export function slice(object: Value, bounds: SliceBounds): Value {
  if (typeof object === "string") return sliced([...object], bounds).join("");
  if (Array.isArray(object)) return sliced(object, bounds);
  throw new TemplateError(`${typeName(object)} cannot be sliced`);
}

export interface SliceBounds {
  readonly start?: number;
  readonly stop?: number;
  readonly step?: number;
}

function sliced<Item>(items: readonly Item[], { start, stop, step = 1 }: SliceBounds): Item[] {
  if (step === 0) throw new TemplateError("slice step cannot be zero");
  const [lowest, highest] = step > 0 ? [0, items.length] : [-1, items.length - 1];
  const within = (index: number) =>
    Math.min(Math.max(index < 0 ? index + items.length : index, lowest), highest);
  const first = start === undefined ? (step > 0 ? lowest : highest) : within(start);
  const end = stop === undefined ? (step > 0 ? highest : lowest) : within(stop);
  const taken: Item[] = [];
  for (let index = first; step > 0 ? index < end : index > end; index += step) {
    taken.push(...items.slice(index, index + 1));
  }
  return taken;
}
