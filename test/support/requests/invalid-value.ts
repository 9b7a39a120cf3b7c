import { shortenName } from "../../../src/core/errors.js";
import {
  acceptedTypes,
  type Described,
  JSON_TYPES,
  type JsonType,
  jsonTypeOf,
  type RequestNode,
} from "./request-node.js";

type Path = readonly (string | number)[];

/** Path of a request with a value that is invalid there. */
export interface Mutation {
  /** Path as named in errors. */
  readonly path: string;
  /** If several options of a union may be meant, errors may name any path within the union. */
  readonly within: string | undefined;
  /** The whole request. */
  readonly body: unknown;
}

/** Existing path, or a field that could exist. */
interface Site {
  readonly path: Path;
  readonly node: RequestNode;
  /** Only a field can be missing. */
  readonly role: "root" | "field" | "item";
  /**
   * Within a union without a discriminator, one option may accept a value that another one refuses.
   */
  readonly certainty: "certain" | "unless-accepted";
  /** The outermost union around it of which several options have values of one type. */
  readonly within?: Path;
}

/** Far enough below the limit of a body. */
const DEEP = 60;
const deep = Array.from({ length: DEEP }).reduce<unknown>((inner) => [inner], 1);

const WRONG_TYPES: Readonly<Record<JsonType, readonly unknown[]>> = {
  null: [null],
  boolean: [true, false],
  number: [0, 7, -1.5],
  string: ["", "1", "NaN", "a\ud800", "<|im_end|>", "a".repeat(3000)],
  array: [[], [1], ["a", {}], deep],
  object: [{}, { x: 1 }, { type: "x", deep }],
};

/** Values of the right type that are invalid in some fields; others accept them. */
const ODD_VALUES: readonly unknown[] = [
  "",
  " ",
  "\n",
  "x-unknown",
  "a b",
  "é".repeat(10_001),
  0,
  -1,
  -2,
  0.5,
  1e300,
  -1e300,
  2 ** 53,
  [],
];

/**
 * Mutations of a valid request at one path of one of its fields.
 * @param field undefined: the request as a whole
 * @param pick chooses one of several paths, from 0 to below 1
 */
export function mutationsIn(
  root: RequestNode,
  body: unknown,
  field: string | undefined,
  pick: number,
): readonly Mutation[] {
  const whole: Site = { path: [], node: root, role: "root", certainty: "certain" };
  const sites =
    field === undefined
      ? [whole]
      : innerSites(whole, body).filter(({ path: [first] }) => first === field);
  const site = sites[Math.floor(pick * sites.length)];
  if (site === undefined) return [];
  const before = valueAt(body, site.path);
  const within = site.within ?? (isAmbiguous(site.node, before) ? site.path : undefined);
  return changesOf(site, before)
    .map(({ path, value }) => ({
      path: nameOf(path),
      within: within && nameOf(within),
      body: replaced(body, path, value),
    }))
    .filter((mutation) => site.certainty === "certain" || !root.accepts(mutation.body));
}

function nameOf(path: Path): string {
  return path.map((key) => shortenName(String(key))).join(".");
}

/** Whether a value is of a type that several options of a union have, without a discriminator. */
function isAmbiguous({ described }: RequestNode, value: unknown): boolean {
  if (described.type !== "union" || described.discriminator !== undefined) return false;
  if (value === undefined) return false;
  const type = jsonTypeOf(value);
  return described.options.filter((option) => acceptedTypes(option).has(type)).length > 1;
}

/** All paths of a value, itself included. */
function sitesOf(site: Site, value: unknown): readonly Site[] {
  return [site, ...innerSites(site, value)];
}

function innerSites(site: Site, value: unknown): readonly Site[] {
  const { described } = site.node;
  if (described.type === "union") {
    const node = described.options.find(({ accepts }) => accepts(value));
    const certainty = described.discriminator === undefined ? "unless-accepted" : site.certainty;
    const within = site.within ?? (isAmbiguous(site.node, value) ? site.path : undefined);
    const option = { ...site, certainty, ...(within && { within }) };
    return node === undefined ? [] : innerSites({ ...option, node }, value);
  }
  const inside = (key: string | number, node: RequestNode, role: Site["role"]): Site => ({
    ...site,
    path: [...site.path, key],
    node,
    role,
  });
  if (described.type === "array" && Array.isArray(value)) {
    return value.flatMap((item, index) => sitesOf(inside(index, described.item, "item"), item));
  }
  if (described.type === "tuple" && Array.isArray(value)) {
    return described.items.flatMap((node, index) =>
      sitesOf(inside(index, node, "item"), value[index]),
    );
  }
  if (typeof value !== "object" || value === null) return [];
  const members: Readonly<Record<string, unknown>> = { ...value };
  if (described.type === "record") {
    return Object.entries(members).flatMap(([key, item]) =>
      sitesOf(inside(key, described.value, "item"), item),
    );
  }
  if (described.type !== "object") return [];
  return [...described.fields].flatMap(([name, node]) => {
    const field = inside(name, node, "field");
    return Object.hasOwn(members, name) ? sitesOf(field, members[name]) : [field];
  });
}

interface Change {
  readonly path: Path;
  /** `undefined`: the field is taken away. */
  readonly value: unknown;
}

function changesOf({ path, node, role }: Site, value: unknown): readonly Change[] {
  const accepted = acceptedTypes(node);
  const wrongTypes = JSON_TYPES.filter((type) => !accepted.has(type));
  const wrongValues = [
    ...wrongTypes.flatMap((type) => WRONG_TYPES[type]),
    ...outOfBounds(node.described),
    ...tooLong(node, value),
    ...oddValues(node, accepted),
  ];
  const isRequired = role === "field" && value !== undefined && !node.accepts(undefined);
  return [
    ...wrongValues.map((wrong) => ({ path, value: wrong })),
    ...(isRequired ? [{ path, value: undefined }] : []),
    ...wrongMembers(node.described, path, value),
  ];
}

/**
 * Values whose validity only validation determines: for unions, and for values that a function
 * restricts.
 */
function oddValues(node: RequestNode, accepted: ReadonlySet<JsonType>): readonly unknown[] {
  const { described, refinement } = node;
  const isUnion = described.type === "union" && described.discriminator === undefined;
  const isRefined = refinement === "custom" && described.type !== "object";
  if (!isUnion && !isRefined) return [];
  const ofOptions = isUnion
    ? described.options.flatMap((option) => outOfBounds(option.described))
    : [];
  return [...ODD_VALUES, ...ofOptions].filter(
    (item) => accepted.has(jsonTypeOf(item)) && !node.accepts(item),
  );
}

function outOfBounds(described: Described): readonly unknown[] {
  switch (described.type) {
    case "string": {
      const { min, max, pattern } = described;
      return [
        ...(min > 0 ? [""] : []),
        ...(max === undefined ? [] : ["a".repeat(max + 1)]),
        ...(pattern ? ["", "a b", "é", "\u0000", "1\n", "a".repeat(300)] : []).filter(
          (text) => !pattern?.test(text),
        ),
      ];
    }
    case "number": {
      const { min, max, integer } = described;
      return [
        ...(min > -Number.MAX_SAFE_INTEGER ? [min - 1, min - 0.5] : []),
        ...(max < Number.MAX_SAFE_INTEGER ? [max + 1, max + 0.5, 1e300] : []),
        ...(integer ? [0.5, 2 ** 53, -1e300] : []),
      ];
    }
    case "words":
      return ["x-unknown", "", "__proto__", "toString"].filter(
        (word) => !described.words.includes(word),
      );
    case "array":
      return described.min > 0 ? [[]] : [];
    case "tuple":
      return [[], Array.from({ length: described.items.length + 1 }, () => 0)];
    default:
      return [];
  }
}

/** More items than fields accept whose schemas do not show their bounds. */
const MANY = [5, 17, 65, 101, 1_001, 10_001];
const refusedLengths = new WeakMap<RequestNode, number | undefined>();

/** Array of more items than the field accepts. */
function tooLong(node: RequestNode, value: unknown): readonly unknown[] {
  if (!Array.isArray(value) || value.length === 0) return [];
  const repeated = (length: number) => Array.from({ length }, () => value[0]);
  if (!refusedLengths.has(node)) {
    refusedLengths.set(
      node,
      MANY.find((length) => !node.accepts(repeated(length))),
    );
  }
  const length = refusedLengths.get(node);
  // Another option of a union may be longer.
  return length === undefined || node.accepts(repeated(length)) ? [] : [repeated(length)];
}

/** Members with an invalid name, or an invalid value as a whole. */
function wrongMembers(described: Described, path: Path, value: unknown): readonly Change[] {
  if (described.type === "object" && described.unknownFields === "refused") {
    return ["x_unknown", "__proto"].map((name) => ({ path: [...path, name], value: 1 }));
  }
  if (described.type !== "union" || described.discriminator === undefined) return [];
  const { discriminator, options } = described;
  if (typeof value !== "object" || value === null) return [];
  const isOptional = options.some(
    (option) =>
      option.described.type === "object" &&
      option.described.fields.get(discriminator)?.accepts(undefined),
  );
  const place = [...path, discriminator];
  const wrong = ["x-unknown", "", 7, null, {}, ...(isOptional ? [] : [undefined])];
  return wrong.map((item) => ({ path: place, value: item }));
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Readonly<Record<string | number, unknown>>)[key]
        : undefined,
    value,
  );
}

/** A copy with another value at a path. */
function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === key ? replaced(item, rest, by) : item));
  }
  const members: Readonly<Record<string, unknown>> = { ...(value as object) };
  const others = Object.entries(members).filter(([name]) => name !== key);
  const inner = rest.length === 0 ? by : replaced(members[key], rest, by);
  return Object.fromEntries([...others, ...(inner === undefined ? [] : [[key, inner] as const])]);
}
