import {
  type BodyBuilder,
  chatBody,
  filled,
  listed,
  listOf,
  nested,
  object,
  tool,
} from "./stalls-body.js";
import { limits } from "./stalls-limits.js";

/** Tokens of an answer, enough to follow a constraint into its first loops. */
const ANSWER_TOKENS = "32";
/** Levels of nesting around a schema. */
const LEVELS_AROUND = 4;
/** Power of two by which alternatives, rules and parts multiply. */
const DOUBLINGS = 30;

const held = (members: Readonly<Record<string, string>>) =>
  chatBody({ max_tokens: ANSWER_TOKENS, ...members });
const bySchema = (schema: string) =>
  held({ response_format: `{"type":"json_schema","json_schema":{"name":"a","schema":${schema}}}` });
/** @param pattern as written in JavaScript between slashes */
const byRegex = (pattern: string) =>
  held({ structured_outputs: object({ regex: JSON.stringify(pattern) }) });
const byGbnf = (grammar: string) => held({ grammar: JSON.stringify(grammar) });
const byTools = (tools: string) => held({ tools: `[${tools}]`, tool_choice: '"required"' });

const schemaOf = (members: Readonly<Record<string, string>>): BodyBuilder => {
  const body = bySchema(object(members));
  return () => body;
};
const defined = (root: string, defs: string) =>
  bySchema(`{"$ref":"#/$defs/${root}","$defs":{${defs}}}`);
/** Definitions each of which refers to the next one twice. */
const doubling = (keyword: string) => {
  const ref = (index: number) => `{"$ref":"#/$defs/d${index + 1}"}`;
  const definition = (index: number) => `"d${index}":{"${keyword}":[${ref(index)},${ref(index)}]}`;
  return defined("d0", `${listOf(DOUBLINGS, definition)},"d${DOUBLINGS}":{"type":"string"}`);
};
const optional = (index: number) => `"p${index}":{"type":"string"}`;
const strictTool = (index: number, parameters: string) =>
  tool(`f${index}`, { strict: "true", parameters });

/** Schemas that multiply, loop, count or nest, by name. */
const schemaBodies: Readonly<Record<string, BodyBuilder>> = {
  "schema: a product of alternatives": () => {
    const either = (index: number) =>
      `{"anyOf":[{"required":["a${index}"]},{"required":["b${index}"]}]}`;
    return bySchema(`{"type":"object","allOf":[${listOf(DOUBLINGS, either)}]}`);
  },
  "schema: a product of one-ofs": () => {
    const one = (index: number) =>
      `{"oneOf":[{"pattern":"^a.*${index}"},{"pattern":"^.*b${index}$"}]}`;
    return bySchema(`{"type":"string","allOf":[${listOf(DOUBLINGS, one)}]}`);
  },
  "schema: doubled by anyOf": () => doubling("anyOf"),
  "schema: doubled by allOf": () => doubling("allOf"),
  "schema: doubled by oneOf": () => doubling("oneOf"),
  "schema: overlapping one-ofs": ({ values }) =>
    listed(
      { values, items: Infinity },
      (index) => `{"type":"string","minLength":${index},"maxLength":${index + 500}}`,
      (branches) => bySchema(`{"oneOf":[${branches}]}`),
    ),
  "schema: overlapping objects": ({ values }) =>
    listed(
      { values, items: 100 },
      (index) => `{"type":"object","properties":{"k${index}":{"type":"string"}}}`,
      (branches) => bySchema(`{"oneOf":[${branches}]}`),
    ),
  "schema: a chain of conditions": () => {
    const condition = (index: number) =>
      `{"if":{"required":["a${index}"]},"then":{"required":["b${index}"]}}`;
    return bySchema(`{"type":"object","allOf":[${listOf(DOUBLINGS, condition)}]}`);
  },
  "schema: deepest nots": () =>
    bySchema(nested(limits.depth - LEVELS_AROUND, '{"not":', '{"type":"string"}', "}")),
  "schema: deepest arrays": () =>
    bySchema(nested(limits.depth - LEVELS_AROUND, '{"items":', "{}", "}")),
  "schema: the longest enum": ({ values }) =>
    listed(
      { values, items: Infinity },
      (index) => `"value ${index}"`,
      (options) => bySchema(`{"enum":[${options}]}`),
    ),
  "schema: the longest constant": ({ bytes }) =>
    filled(bytes, "able ", (text) => bySchema(`{"const":"${text}"}`)),
  "schema: most properties": ({ values }) =>
    listed({ values, items: Infinity }, optional, (properties) =>
      bySchema(`{"type":"object","properties":{${properties}}}`),
    ),
  "schema: most properties, some of them": ({ values }) =>
    listed({ values, items: Infinity }, optional, (properties) =>
      bySchema(`{"minProperties":900,"maxProperties":1000,"properties":{${properties}}}`),
    ),
  "schema: most patterns of properties": ({ values }) =>
    listed(
      { values, items: 1000 },
      (index) => `"a.*${index}":{"minLength":${index}}`,
      (patterns) => bySchema(`{"type":"object","patternProperties":{${patterns}}}`),
    ),
  "schema: a billion characters": schemaOf({ type: '"string"', maxLength: "1000000000" }),
  "schema: at least a billion characters": schemaOf({ type: '"string"', minLength: "1000000000" }),
  "schema: a million items": schemaOf({ type: '"array"', minItems: "1000000" }),
  "schema: a million properties": schemaOf({ type: '"object"', minProperties: "1000000" }),
  "schema: a million of a million items": () => {
    const levels = nested(6, '{"type":"array","minItems":1000000,"items":', "{}", "}");
    return bySchema(levels);
  },
  "schema: a large divisor": schemaOf({ type: '"integer"', multipleOf: "1000000007" }),
  "schema: a small divisor": schemaOf({ type: '"number"', multipleOf: "1e-300" }),
  "schema: large bounds": schemaOf({ type: '"number"', minimum: "-1e308", maximum: "1e308" }),
  "schema: bounds of many digits": ({ bytes }) =>
    filled(bytes / 2, "7", (digits) => bySchema(`{"type":"integer","minimum":1${digits}}`)),
  "schema: many lengths of one text": () => {
    const length = (index: number) => `{"pattern":"(a{${index + 1}})+$"}`;
    return bySchema(`{"type":"string","allOf":[${listOf(60, length)}]}`);
  },
  "schema: a loop of references": () =>
    defined("a", '"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}'),
  "schema: a loop of alternatives": () =>
    defined("a", '"a":{"anyOf":[{"$ref":"#/$defs/a"},{"allOf":[{"$ref":"#/$defs/a"}]}]}'),
  "schema: the opposite of itself": () => defined("a", '"a":{"not":{"$ref":"#/$defs/a"}}'),
  "schema: growing references": () => {
    const both = '{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]}';
    const list = (items: string) => `{"type":"array","minItems":1,"items":${items}}`;
    return defined("a", `"a":${list(both)},"b":${list(list(both))}`);
  },
  "schema: an endless value": () =>
    defined("a", '"a":{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/a"}}}'),
};

/** Patterns that are slow for backtracking engines, or for automata that are built in advance. */
const patterns = {
  "a plus of pluses": "(a+)+$",
  "two ways to double": "(a|aa)*b{1,1000}",
  "pluses side by side": "(x+x+x+)+y",
  "counts of counts": "((a{1,100}){1,100}){1,100}",
  "large counts of counts": "((a{0,99999}){0,99999}){0,99999}b",
  "options, then the same again": "(a?){1000}a{1000}",
  "a letter far from the end": "[ab]*a[ab]{400}",
  "any letter far from the end": ".*a.{2000}",
  "stars of stars": nested(90, "(", "a*", ")*"),
  "words within words": `(${listOf(60, (index) => "ab".repeat(index + 1)).replaceAll(",", "|")})*c`,
  "look-aheads": `${listOf(26, (index) => `(?=.*${String.fromCodePoint(97 + index)})`).replaceAll(",", "")}.*`,
  "the opposite of looks": `${listOf(20, (index) => `(?!.*a.{${index}}b)`).replaceAll(",", "")}.*`,
  "classes of letters": "(\\p{L}|\\p{N}|\\p{Script=Greek}){1,9999}\\P{Lu}{500}",
  "lengths without a common one": `(?=(a{${listOf(9, (index) => String(7 + 2 * index)).replaceAll(",", "})+$)(?=(a{")}})+$)a{1,}`,
} as const;

const regexBodies: Readonly<Record<string, BodyBuilder>> = {
  ...Object.fromEntries(
    Object.entries(patterns).flatMap(([name, pattern]): [string, BodyBuilder][] => [
      [`regex: ${name}`, () => byRegex(pattern)],
      [
        `pattern: ${name}`,
        () => bySchema(`{"type":"string","pattern":${JSON.stringify(pattern)}}`),
      ],
    ]),
  ),
  "regex: the longest alternatives": () =>
    byRegex(listOf(1500, (index) => `a${index}b`).replaceAll(",", "|")),
  "regex: too long": ({ bytes }) => filled(bytes, "(a|b)*", (text) => byRegex(text)),
  "regex: too deep": ({ bytes }) => byRegex("(".repeat(bytes / 2)),
};

/** GBNF grammars by name. */
const grammars = {
  "left recursion": 'root ::= root "a" | "b"',
  "left recursion through others":
    'root ::= a "x"\na ::= b | c\nb ::= c "y"\nc ::= a? root "z" | "w"',
  "left recursion behind nothing": 'root ::= e root "a" | "b"\ne ::= ""*',
  "a loop of nothing": "root ::= a\na ::= b\nb ::= a",
  "empty rules forever": 'root ::= ((e*)*)* "a"\ne ::= f* | g*\nf ::= ""\ng ::= f*',
  "ambiguous in every way": 'root ::= s\ns ::= "a" | "a" s | "a" s s | "a" s s s',
  "brackets that need not close": 'root ::= s "!"\ns ::= ("(" s ")"? s)?',
  "counts of counts": "root ::= (((a{1000}){1000}){1000}){1000}\na ::= [a-z]?",
  "doubled rules": `${listOf(40, (index) => `r${index} ::= r${index + 1} r${index + 1}?`).replaceAll(",", "\n")}\nr40 ::= "a"?\nroot ::= r0 "b"`,
  palindromes: 'root ::= p\np ::= "" | [a-z] p [a-z] | [a-z]',
} as const;

const grammarBodies: Readonly<Record<string, BodyBuilder>> = {
  ...Object.fromEntries(
    Object.entries(grammars).map(([name, grammar]): [string, BodyBuilder] => [
      `grammar: ${name}`,
      () => byGbnf(grammar),
    ]),
  ),
  "grammar: a chain of rules": () => {
    const rules = Array.from({ length: 5000 }, (_, index) => `r${index} ::= r${index + 1} | "a"`);
    return byGbnf(`root ::= r0\n${rules.join("\n")}\nr5000 ::= "b"`);
  },
  "grammar: most alternatives": () => {
    const words = Array.from({ length: 15_000 }, (_, index) => `"w${index}"`);
    return byGbnf(`root ::= (${words.join(" | ")})*`);
  },
  "grammar: too long": ({ bytes }) =>
    filled(bytes * 0.9, "a ", (text) => byGbnf(`root ::= ${text}`)),
  "grammar: too deep": ({ bytes }) => byGbnf(`root ::= ${"(".repeat(bytes / 2)}`),
};

/** Approximate tokens of a tool in a prompt, which limits the tools that fit into a slot. */
const TOKENS_PER_TOOL = 64;

const fittingTools = (parameters: (index: number) => string): BodyBuilder => {
  const item = (index: number) => strictTool(index, parameters(index));
  return ({ contextSize }) => byTools(listOf(Math.floor(contextSize / TOKENS_PER_TOOL), item));
};

const toolBodies: Readonly<Record<string, BodyBuilder>> = {
  "strict tools: most": ({ values }) =>
    listed(
      { values, items: limits.tools },
      (index) => strictTool(index, `{"type":"object","properties":{${listOf(12, optional)}}}`),
      byTools,
    ),
  "strict tools: as many as fit": fittingTools(
    (index) => `{"type":"object","properties":{"a":{"enum":["x${index}","y"]},"b":{}}}`,
  ),
  "strict tools: hostile": fittingTools(
    (index) => `{"type":"string","pattern":"[ab]*a[ab]{${300 + index}}"}`,
  ),
  "strict tools: one, most properties": ({ contextSize }) =>
    byTools(
      strictTool(0, `{"type":"object","properties":{${listOf(contextSize / 16, optional)}}}`),
    ),
};

/** Bodies whose answers are constrained by hostile schemas, expressions and grammars, by name. */
export const constraintBodies: Readonly<Record<string, BodyBuilder>> = {
  ...schemaBodies,
  ...regexBodies,
  ...grammarBodies,
  ...toolBodies,
};
