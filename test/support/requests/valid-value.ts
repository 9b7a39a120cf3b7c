import fc from "fast-check";
import { hostileText } from "../hostile-text.js";
import type { Described, RequestNode } from "./request-node.js";

/** Enough for every branch, and for a request that breaks few rules between fields. */
const MAX_OPTIONAL_FIELDS = 4;
const MAX_ITEMS = 3;

const anyJson = fc.jsonValue({ maxDepth: 3 });

/** Any valid request that has certain fields. */
export function validRequestWith(
  root: RequestNode,
  names: readonly string[],
): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const { described } = root;
  if (described.type !== "object") throw new Error("a request is an object");
  const { fields } = described;
  const certain = Object.fromEntries(names.map((name) => [name, fieldValue(fields, name)]));
  return fc
    .tuple(objects(described), fc.record(certain))
    .map(([body, others]) => ({ ...body, ...others }))
    .filter(root.accepts);
}

const known = new WeakMap<RequestNode, fc.Arbitrary<unknown>>();

/** Generates any value that a node accepts. */
function validValue(node: RequestNode): fc.Arbitrary<unknown> {
  const values = known.get(node) ?? valuesOfNode(node);
  known.set(node, values);
  return values;
}

function valuesOfNode(node: RequestNode): fc.Arbitrary<unknown> {
  const described = valuesOf(node.described);
  const values = node.refinement === "custom" ? described.filter(node.accepts) : described;
  if (!node.accepts(null)) return values;
  return fc.oneof({ weight: 5, arbitrary: values }, { weight: 1, arbitrary: fc.constant(null) });
}

function valuesOf(described: Described): fc.Arbitrary<unknown> {
  switch (described.type) {
    case "any":
      return anyJson;
    case "boolean":
      return fc.boolean();
    case "words":
      return fc.constantFrom(...described.words);
    case "string":
      return texts(described);
    case "number":
      return numbers(described);
    case "array":
      return arrays(described);
    case "tuple":
      return fc.tuple(...described.items.map(validValue));
    case "record":
      return records(described);
    case "object":
      return objects(described);
    case "union":
      return fc.oneof(...described.options.filter(isPossible).map(validValue));
    case "none":
      throw new Error("there is no such value");
  }
}

function isPossible({ described }: RequestNode): boolean {
  return described.type !== "none";
}

function texts({ min, max, pattern }: Extract<Described, { type: "string" }>) {
  if (pattern !== undefined) return fc.stringMatching(pattern);
  return hostileText({ minLength: min, ...(max !== undefined && { maxLength: max }) });
}

function numbers({ min, max, integer }: Extract<Described, { type: "number" }>) {
  if (integer) {
    const inRange = (value: number) => Math.min(Math.max(value, min), max);
    // Small numbers are used more: of tokens, of choices.
    return fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -1, max: 30 })).map(inRange);
  }
  return fc.double({
    ...(Number.isFinite(min) && { min }),
    ...(Number.isFinite(max) && { max }),
    noNaN: true,
    noDefaultInfinity: true,
  });
}

function arrays({ item, min, max }: Extract<Described, { type: "array" }>) {
  const maxLength = isPossible(item) ? Math.min(max ?? MAX_ITEMS, Math.max(min, MAX_ITEMS)) : 0;
  if (maxLength === 0) return fc.constant([]);
  return fc.array(validValue(item), { minLength: min, maxLength });
}

function records({ key, value }: Extract<Described, { type: "record" }>) {
  if (!isPossible(value)) return fc.constant({});
  // Zod drops this key with any value.
  const keys = validValue(key)
    .map(String)
    .filter((name) => name !== "__proto__");
  return fc.dictionary(keys, validValue(value), { maxKeys: MAX_ITEMS, noNullPrototype: true });
}

function objects({ fields, unknownFields }: Extract<Described, { type: "object" }>) {
  const names = [...fields.keys()];
  const optional = names.filter((name) => fields.get(name)?.accepts(undefined));
  const required = names.filter((name) => !optional.includes(name));
  const unknown = unknownFields === "ignored" ? fc.subarray(["x_unknown", "constructor"]) : none;
  const present = fc.subarray(optional, {
    maxLength: Math.min(MAX_OPTIONAL_FIELDS, optional.length),
  });
  return fc
    .tuple(present, unknown)
    .chain(([chosen, others]) =>
      fc.record(
        Object.fromEntries([
          ...[...required, ...chosen].map((name) => [name, fieldValue(fields, name)]),
          ...others.map((name) => [name, anyJson]),
        ]),
        { noNullPrototype: true },
      ),
    );
}

const none = fc.constant<string[]>([]);

function fieldValue(fields: ReadonlyMap<string, RequestNode>, name: string) {
  const node = fields.get(name);
  if (node === undefined) throw new Error(`there is no field ${name}`);
  return validValue(node);
}
