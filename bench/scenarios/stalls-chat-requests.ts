/** Chat completions that their example and schema do not suggest. */
import {
  type BodyBuilder,
  CONTROL_TOKENS,
  filled,
  filling,
  limits,
  listing,
  listOf,
  nested,
  posted,
  type WorstRequests,
} from "./stalls-body.js";

/** Builds a chat request with a short answer from the text of its members. */
const chat = (members: string) =>
  `{"max_tokens":8,${members.startsWith('"messages"') ? "" : '"messages":[{"role":"user","content":"Hello"}],'}${members}}`;
const user = (content: string) => `{"role":"user","content":${content}}`;
const PROMPT = chat(`"messages":[${user('"…"')}]`);
const MESSAGES = chat('"messages":[…]');
const calling = (calls: string) => `{"role":"assistant","tool_calls":[${calls}]},${user('"a"')}`;
const call = (args: string) => `{"id":"1","function":{"name":"f","arguments":"${args}"}}`;
const tool = (name: string, more = "") =>
  `{"type":"function","function":{"name":"${name}"${more}}}`;
const TOOLS = chat('"tools":[…]');
const described = chat(`"tools":[${tool("f", ',"description":"…"')}]`);
const called = chat(`"messages":[${calling(call("…"))}]`);
const STOPS = chat('"stop":["a…","b…","c…","d…"]');

/** Texts that are hard to tokenise when repeated, escaped as in JSON. */
export const awkwardTexts: Readonly<Record<string, string>> = {
  words: "able ",
  spaces: " ",
  "line breaks": "\\n",
  "one letter": "a",
  "one word": "abcdefghijklmnopqrstuvwxyz",
  digits: "7",
  punctuation: "!?",
  "accented letters": "é",
  emoji: "🙂",
  "control tokens": CONTROL_TOKENS,
};

/**
 * Bytes of an awkward prompt per token of a slot. A server that knows the length of its longest
 * token, some ten bytes in a small vocabulary and 128 in GPT-2's, refuses a longer prompt unread.
 */
const BYTES_PER_TOKEN = [12, 100];

const awkwardPrompts = Object.entries(awkwardTexts).flatMap(([name, unit]) =>
  BYTES_PER_TOKEN.map((perToken): [string, BodyBuilder] => [
    `${name}, ${perToken} bytes a token`,
    ({ bytes, contextSize, ...sizes }) =>
      filling(
        unit,
        PROMPT,
      )({ ...sizes, contextSize, bytes: Math.min(bytes, perToken * contextSize) }),
  ]),
);

/** Bodies that are bad by one text, its length or its characters. */
const texts: Readonly<Record<string, BodyBuilder>> = {
  "a prompt of emoji": filling("🙂", PROMPT),
  "a prompt of escaped letters": filling("\\u0061", PROMPT),
  "a prompt of backslashes": filling("\\\\", PROMPT),
  "a prompt of quotes": filling('\\"', PROMPT),
  "a long tool": filling("able ", described),
  "a tool of control tokens": filling(CONTROL_TOKENS, described),
  "a tool call with a long text": filling("able ", called),
  "a tool call of control tokens": filling(CONTROL_TOKENS, called),
  // Values inside a string, which the limit on the body's own values does not count.
  "a tool call with objects": filling("{},", chat(`"messages":[${calling(call("[…0]"))}]`)),
  "a tool call with brackets": filling("[", called),
  "a long variable": filling("able ", chat('"chat_template_kwargs":{"v":"…"}')),
  "a variable of control tokens": filling(CONTROL_TOKENS, chat('"chat_template_kwargs":{"v":"…"}')),
  "long reasoning": filling(
    "able ",
    chat(`"messages":[{"role":"assistant","reasoning_content":"…"},${user('"a"')}]`),
  ),
  "long stop strings": filling("a", STOPS, 1 / 4),
  "a long name of the model": filling("m", chat('"model":"…"')),
  "a long name of a tool": filling("f", chat(`"tools":[${tool("…")}]`)),
  "a long key": filling("k", chat('"…":0')),
  "a long key of a bias": filling("k", chat('"logit_bias":{"…":0}')),
  "a long token id": filling("7", chat('"logit_bias":{"…":0}')),
  "a long number": filling("7", chat('"temperature":0.…7')),
  "white space": filling(" ", `…${chat('"n":1')}`),
  "no JSON": filling("x", "…"),
  "zeros as messages": filling("0,", chat('"messages":[…0]')),
  "brackets as messages": filling("[", MESSAGES),
  "millions of stop strings": filling('"a",', chat('"stop":[…"a"]')),
};

const PARAMETER = '"p{i}":{"type":"string"}';
const partsOf = (type: string) =>
  user(`[${listOf(limits.parts, () => `{"type":"${type}","text":"a"}`)}]`);
const parameters = (properties: string) => `,"parameters":{"properties":{${properties}}}`;

/** Bodies that are bad by the number and the depth of their values. */
const structures: Readonly<Record<string, BodyBuilder>> = {
  // The number of messages alone is acceptable: they would fit if each were one token.
  "messages as many as fit": (sizes) =>
    listing(user('"a"'), MESSAGES, Math.min(limits.messages, sizes.contextSize - 1))(sizes),
  "last message wrong": listing(
    user('"a"'),
    chat(`"messages":[…,{"role":"x","content":"a"}]`),
    limits.messages - 1,
  ),
  "most parts": listing(partsOf("text"), MESSAGES, limits.messages),
  "all parts wrong": listing(partsOf("x"), MESSAGES, limits.messages),
  "most tools, named": listing(tool("f{i}"), TOOLS, limits.tools),
  "most tools, most parameters": listing(
    tool("f", parameters(listOf(40, (index) => PARAMETER.replace("{i}", String(index))))),
    TOOLS,
    limits.tools,
  ),
  "one tool, most parameters": listing(PARAMETER, chat(`"tools":[${tool("f", parameters("…"))}]`)),
  "deepest tools": listing(
    tool("f", `,"parameters":${nested(limits.depth - 4, '{"a":', "0", "}")}`),
    TOOLS,
    limits.tools,
  ),
  "most tool calls": listing(
    calling(listOf(limits.toolCalls, () => call("{}"))),
    MESSAGES,
    limits.messages,
  ),
  "deepest response format": () =>
    chat(`"response_format":${nested(limits.depth - 1, '{"a":', "0", "}")}`),
  "deepest variables": listing(
    `"v{i}":${nested(limits.depth - 2, "[", "", "]")}`,
    chat('"chat_template_kwargs":{…}'),
    limits.templateVariables,
  ),
  "too many variables": listing('"m{i}":0', chat('"chat_template_kwargs":{…}')),
  "too many stop strings": listing('"a"', chat('"stop":[…]')),
  "most unknown fields of a message": listing(
    '"m{i}":0',
    chat(`"messages":[{"role":"user","content":"a",…}]`),
  ),
};

/** Power of two by which alternatives, rules and parts multiply. */
const DOUBLINGS = 30;
/** Levels of nesting around a schema. */
const LEVELS_AROUND = 4;

const constrained = (members: string) => chat(members).replace('"max_tokens":8', '"max_tokens":32');
const schema = (json: string) =>
  constrained(
    `"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":${json}}}`,
  );
const all = (type: string, count: number, item: (index: number) => string) =>
  `{"type":"${type}","allOf":[${listOf(count, item)}]}`;
const defined = (defs: string) => `{"$ref":"#/$defs/a","$defs":{${defs}}}`;
/** Definitions each of which refers to the next one twice. */
const doubled = (keyword: string) => {
  const ref = (index: number) => `{"$ref":"#/$defs/d${index + 1}"}`;
  const definition = (index: number) => `"d${index}":{"${keyword}":[${ref(index)},${ref(index)}]}`;
  return defined(
    `"a":${ref(-1)},${listOf(DOUBLINGS, definition)},"d${DOUBLINGS}":{"type":"string"}`,
  );
};

/** Schemas that multiply, loop, count or nest. */
const schemas: Readonly<Record<string, string>> = {
  "a product of alternatives": all(
    "object",
    DOUBLINGS,
    (i) => `{"anyOf":[{"required":["a${i}"]},{"required":["b${i}"]}]}`,
  ),
  "a product of one-ofs": all(
    "string",
    DOUBLINGS,
    (i) => `{"oneOf":[{"pattern":"^a.*${i}"},{"pattern":"^.*b${i}$"}]}`,
  ),
  "a chain of conditions": all(
    "object",
    DOUBLINGS,
    (i) => `{"if":{"required":["a${i}"]},"then":{"required":["b${i}"]}}`,
  ),
  "repeated groups of 60 lengths": all("string", 60, (i) => `{"pattern":"(a{${i + 1}})+$"}`),
  "doubled by anyOf": doubled("anyOf"),
  "doubled by allOf": doubled("allOf"),
  "doubled by oneOf": doubled("oneOf"),
  "deepest nots": nested(limits.depth - LEVELS_AROUND, '{"not":', '{"type":"string"}', "}"),
  "deepest arrays": nested(limits.depth - LEVELS_AROUND, '{"items":', "{}", "}"),
  "a billion characters": '{"type":"string","maxLength":1000000000}',
  "at least a billion characters": '{"type":"string","minLength":1000000000}',
  "a million items": '{"type":"array","minItems":1000000}',
  "a million properties": '{"type":"object","minProperties":1000000}',
  "a million items, nested six times": nested(
    6,
    '{"type":"array","minItems":1000000,"items":',
    "{}",
    "}",
  ),
  "a large divisor": '{"type":"integer","multipleOf":1000000007}',
  "a small divisor": '{"type":"number","multipleOf":1e-300}',
  "large bounds": '{"type":"number","minimum":-1e308,"maximum":1e308}',
  "a loop of references": defined('"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}'),
  "a loop of alternatives": defined(
    '"a":{"anyOf":[{"$ref":"#/$defs/a"},{"allOf":[{"$ref":"#/$defs/a"}]}]}',
  ),
  "the opposite of itself": defined('"a":{"not":{"$ref":"#/$defs/a"}}'),
  "growing references": (() => {
    const both = '{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]}';
    const list = (items: string) => `{"type":"array","minItems":1,"items":${items}}`;
    return defined(`"a":${list(both)},"b":${list(list(both))}`);
  })(),
  "an endless value": defined(
    '"a":{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/a"}}}',
  ),
};

const largeSchemas: Readonly<Record<string, BodyBuilder>> = {
  "overlapping one-ofs": (sizes) =>
    listing('{"type":"string","minLength":{i},"maxLength":1{i}}', schema('{"oneOf":[…]}'))(sizes),
  "overlapping objects": listing(
    '{"type":"object","properties":{"k{i}":{"type":"string"}}}',
    schema('{"oneOf":[…]}'),
    100,
  ),
  "the longest enum": listing('"value {i}"', schema('{"enum":[…]}')),
  "the longest constant": filling("able ", schema('{"const":"…"}')),
  "most properties": listing(PARAMETER, schema('{"type":"object","properties":{…}}')),
  "most properties, some of them": listing(
    PARAMETER,
    schema('{"minProperties":900,"maxProperties":1000,"properties":{…}}'),
  ),
  "most patterns of properties": listing(
    '"a.*{i}":{"minLength":{i}}',
    schema('{"type":"object","patternProperties":{…}}'),
    1000,
  ),
  "bounds of many digits": filling("7", schema('{"type":"integer","minimum":1…}'), 1 / 2),
};

const joined = (count: number, separator: string, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index)).join(separator);

/** Patterns that are slow for backtracking engines, or for automata that are built in advance. */
const patterns: Readonly<Record<string, string>> = {
  "nested quantifiers": "(a+)+$",
  "two ways to double": "(a|aa)*b{1,1000}",
  "pluses side by side": "(x+x+x+)+y",
  "counts of counts": "((a{1,100}){1,100}){1,100}",
  "large counts of counts": "((a{0,99999}){0,99999}){0,99999}b",
  "options, then the same again": "(a?){1000}a{1000}",
  "a letter far from the end": "[ab]*a[ab]{400}",
  "any letter far from the end": ".*a.{2000}",
  "stars of stars": nested(90, "(", "a*", ")*"),
  "words within words": `(${joined(60, "|", (index) => "ab".repeat(index + 1))})*c`,
  "look-aheads": `${joined(26, "", (index) => `(?=.*${String.fromCodePoint(97 + index)})`)}.*`,
  "the opposite of looks": `${joined(20, "", (index) => `(?!.*a.{${index}}b)`)}.*`,
  "classes of letters": "(\\p{L}|\\p{N}|\\p{Script=Greek}){1,9999}\\P{Lu}{500}",
  "lengths without a common one": `${joined(9, "", (index) => `(?=(a{${7 + 2 * index}})+$)`)}a{1,}`,
};

const chainOfRules = joined(5000, "\n", (index) => `r${index} ::= r${index + 1} | "a"`);

/** GBNF grammars. */
const grammars: Readonly<Record<string, string>> = {
  "left recursion": 'root ::= root "a" | "b"',
  "left recursion through others":
    'root ::= a "x"\na ::= b | c\nb ::= c "y"\nc ::= a? root "z" | "w"',
  "left recursion behind nothing": 'root ::= e root "a" | "b"\ne ::= ""*',
  "a loop of nothing": "root ::= a\na ::= b\nb ::= a",
  "empty rules without end": 'root ::= ((e*)*)* "a"\ne ::= f* | g*\nf ::= ""\ng ::= f*',
  "ambiguous in every way": 'root ::= s\ns ::= "a" | "a" s | "a" s s | "a" s s s',
  "brackets that need not close": 'root ::= s "!"\ns ::= ("(" s ")"? s)?',
  "counts of counts": "root ::= (((a{1000}){1000}){1000}){1000}\na ::= [a-z]?",
  "doubled rules": `${joined(40, "\n", (index) => `r${index} ::= r${index + 1} r${index + 1}?`)}\nr40 ::= "a"?\nroot ::= r0 "b"`,
  palindromes: 'root ::= p\np ::= "" | [a-z] p [a-z] | [a-z]',
  "a chain of rules": `root ::= r0\n${chainOfRules}\nr5000 ::= "b"`,
  "most alternatives": `root ::= (${joined(15_000, " | ", (index) => `"w${index}"`)})*`,
};

const regex = (pattern: string) =>
  constrained(`"structured_outputs":{"regex":${JSON.stringify(pattern)}}`);
const grammar = (text: string) => constrained(`"grammar":${JSON.stringify(text)}`);

/** Approximate tokens of a tool in a prompt, which limits the tools that fit into a slot. */
const TOKENS_PER_TOOL = 64;
const REQUIRED_TOOLS = constrained('"tool_choice":"required","tools":[…]');
const strict = (json: string) => tool("f{i}", `,"strict":true,"parameters":${json}`);
const fittingTools = (json: string): BodyBuilder => {
  return (sizes) =>
    listing(strict(json), REQUIRED_TOOLS, Math.floor(sizes.contextSize / TOKENS_PER_TOOL))(sizes);
};

/** Names the bodies of a kind of constraint. */
const named = <Value>(
  kind: string,
  values: Readonly<Record<string, Value>>,
  build: (value: Value) => BodyBuilder,
): Record<string, BodyBuilder> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${kind}: ${name}`, build(value)]),
  );

/** Bodies whose answers are constrained by hostile schemas, expressions, grammars and tools. */
const constraints: Readonly<Record<string, BodyBuilder>> = {
  ...named("schema", schemas, (json) => () => schema(json)),
  ...named("schema", largeSchemas, (body) => body),
  ...named("regex", patterns, (pattern) => () => regex(pattern)),
  ...named(
    "pattern",
    patterns,
    (pattern) => () => schema(`{"type":"string","pattern":${JSON.stringify(pattern)}}`),
  ),
  "regex: the longest alternatives": () => regex(joined(1500, "|", (index) => `a${index}b`)),
  "regex: too long": ({ bytes }) => filled(bytes, "(a|b)*", regex),
  "regex: too deep": ({ bytes }) => regex("(".repeat(bytes / 2)),
  ...named("grammar", grammars, (text) => () => grammar(text)),
  "grammar: too long": ({ bytes }) =>
    filled(bytes * 0.9, "a ", (text) => grammar(`root ::= ${text}`)),
  "grammar: too deep": ({ bytes }) => grammar(`root ::= ${"(".repeat(bytes / 2)}`),
  "strict tools: most": listing(
    strict(
      `{"type":"object","properties":{${joined(12, ",", (index) => `"p${index}":{"type":"string"}`)}}}`,
    ),
    REQUIRED_TOOLS,
    limits.tools,
  ),
  "strict tools: as many as fit": fittingTools(
    '{"type":"object","properties":{"a":{"enum":["x{i}","y"]},"b":{}}}',
  ),
  "strict tools: hostile": fittingTools('{"type":"string","pattern":"[ab]*a[ab]{3{i}}"}'),
  "strict tools: one, most properties": (sizes) =>
    listing(
      PARAMETER,
      constrained(
        `"tool_choice":"required","tools":[${tool("f", ',"strict":true,"parameters":{"type":"object","properties":{…}}')}]`,
      ),
      sizes.contextSize / 16,
    )(sizes),
};

export const chatRequests: WorstRequests = posted("/v1/chat/completions", {
  ...structures,
  ...constraints,
  ...Object.fromEntries(awkwardPrompts),
  ...texts,
  // Last, because it takes longer than all others.
  "a prompt that fits": ({ fittingText }) => PROMPT.replace("…", () => fittingText),
});
