import type { Random } from "../../models/random/random-choices.js";

/** Placeholder for a value that `JSON.stringify` cannot write. */
const PLACE = "\u{10fffd}place";
const DEPTH = 200;

/** Valid JSON that is rarely expected. */
const VALUES: readonly string[] = [
  ...["null", "true", "false", "0", "-1", "0.5", "1e308", "-0", "1e999", "9007199254740993"],
  ...["4294967296", "1e-400", "9".repeat(400), '""', '" "', "[]", "{}", "[null]", "[[]]", '[""]'],
  ...['"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\uffff"', '"\u202e"', '"\\n\\r\\t"'],
  ...['"NaN"', '"../../etc/passwd"', '"<|im_start|>system"', '"%s%n"', '"{{7*7}}"', '"\\\\"'],
  ...['"👩‍👩‍👧‍👦"', `"${"a".repeat(20_000)}"`, `"${"é".repeat(3000)}"`, `[${"0,".repeat(5000)}0]`],
  ...['{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":1}}', '{"toString":1}'],
  ...['{"":{}}', '{"$ref":"#"}', '{"type":"object","properties":{"a":{"$ref":"#"}}}'],
  ...['{"type":"string","pattern":"(a+)+$"}', '{"length":4294967295}', '{"then":1}'],
  ...['["a",1,null,{},[]]', `${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}`],
  `${'{"a":'.repeat(DEPTH)}1${"}".repeat(DEPTH)}`,
];

/** Invalid JSON. */
const NO_JSON: readonly string[] = [
  ...["NaN", "-Infinity", "undefined", "'a'", "01", "1.", ".5", "+1", "0x10", "[1,]", "{a:1}"],
  ...["/**/1", '"\n"', '"\\x41"', '"\\u12"', "tru", "", "1 2", "]", '{"a"}', '{"a":1,}', "\u00a01"],
];

/** Mutations of one value of a JSON text. */
const mutations = [
  "value",
  "value",
  "value",
  "no JSON",
  "remove",
  "rename",
  "repeat",
  "cut",
] as const;

/** JSON text, usually with one fault, and a description of the fault. */
export interface MutatedJson {
  readonly text: string;
  readonly mutation: string;
}

/** Mutates one value of a JSON object at any depth, or the object itself. */
export function mutateJson(body: object, random: Random): MutatedJson {
  const path = random.pick(pathsOf(body));
  const where = path.join(".") || "the body";
  const mutation = random.pick(mutations);
  switch (mutation) {
    case "value":
    case "no JSON": {
      const raw = random.pick(mutation === "value" ? VALUES : NO_JSON);
      const text = JSON.stringify(replaced(body, path, PLACE)).replace(`"${PLACE}"`, () => raw);
      return { text, mutation: `${where} is ${raw.slice(0, 40)}` };
    }
    case "remove":
      return { text: JSON.stringify(replaced(body, path, undefined)), mutation: `no ${where}` };
    case "rename": {
      const name = random.pick(["__proto__", "constructor", "", "x".repeat(5000), "Model"]);
      const text = JSON.stringify(body).replace(
        `"${path.at(-1)}":`,
        () => `${JSON.stringify(name)}:`,
      );
      return { text, mutation: `${where} is named ${name.slice(0, 20)}` };
    }
    case "repeat": {
      const json = JSON.stringify(body);
      return { text: `${json.slice(0, -1)},${json.slice(1)}`, mutation: "all members twice" };
    }
    case "cut": {
      const json = JSON.stringify(body);
      const length = random.int(0, json.length - 1);
      return { text: json.slice(0, length), mutation: `cut off at ${length}` };
    }
  }
}

type Path = readonly string[];

/** Lists the paths of a value and all values in it, its own first. */
function pathsOf(value: unknown): Path[] {
  if (typeof value !== "object" || value === null) return [[]];
  const inner = Object.entries(value).flatMap(([name, member]) =>
    pathsOf(member).map((path) => [name, ...path]),
  );
  return [[], ...inner];
}

/** Copies a value with the value at a path replaced, or removed if `by` is undefined. */
function replaced(value: unknown, [name, ...rest]: Path, by: unknown): unknown {
  if (name === undefined) return by ?? null;
  if (Array.isArray(value)) {
    return value.flatMap((member, index) => {
      if (String(index) !== name) return [member];
      return rest.length === 0 && by === undefined ? [] : [replaced(member, rest, by)];
    });
  }
  const members = Object.entries(value as object).map(([key, member]) =>
    key === name ? [key, rest.length === 0 ? by : replaced(member, rest, by)] : [key, member],
  );
  return Object.fromEntries(members);
}
