import type { OutputReading } from "../../../../../src/engine/text/output/output-reading.js";
import { call, cutCall, type ReadPart, reasoning, text } from "../read-output.js";

/** Output in the form of a model family, and its meaning. */
export interface Form {
  readonly what: string;
  readonly output: string;
  readonly parts: readonly ReadPart[];
  readonly reading?: Partial<OutputReading>;
}

/** The forms of a convention. */
export interface Forms {
  readonly convention: OutputReading["convention"];
  readonly reasoning?: OutputReading["reasoning"];
  /** Marks that are control tokens in some files of these models, and text in others. */
  readonly marks: readonly string[];
  readonly forms: readonly Form[];
}

/** A tool with parameters of several types. */
export const tools: OutputReading["tools"] = [
  {
    name: "weather",
    parameters: [
      { name: "city", types: ["string"] },
      { name: "note", types: ["string"] },
      { name: "days", types: ["number"] },
      { name: "alerts", types: ["boolean"] },
      { name: "places", types: ["array"] },
      { name: "unit", types: ["string", "null"] },
      { name: "amount", types: ["string", "number"] },
    ],
  },
  { name: "now", parameters: [] },
  {
    name: "nested",
    parameters: [
      { name: "ids", types: ["array"], items: { types: ["string"] } },
      { name: "options", types: ["object"], members: [{ name: "item", types: ["number"] }] },
    ],
  },
];

const parisJson = '{"city": "Par\\"is", "days": 3}';
const twoCalls = [call("weather", parisJson), call("now", "{}")];

export const jsonForms: readonly Forms[] = [
  {
    convention: "hermes",
    marks: ["<tool_call>", "</tool_call>", "<think>", "</think>"],
    forms: [
      {
        what: "reasoning, text and two calls",
        output:
          `<think>\nHm.\n</think>\n\nWait.\n<tool_call>\n{"name": "weather", "arguments": ${parisJson}}` +
          '\n</tool_call>\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>',
        parts: [reasoning("Hm."), text("Wait."), ...twoCalls],
      },
    ],
  },
  {
    convention: "granite",
    marks: ["<|tool_call|>", "<think>", "</think>"],
    forms: [
      {
        what: "a list",
        output: `<|tool_call|>[{"name": "weather", "arguments": ${parisJson}}, {"name":"now","arguments":{}}]`,
        parts: twoCalls,
      },
      {
        what: "a list between tags",
        output: `<tool_call> [{"name": "weather", "arguments": ${parisJson}}]`,
        parts: [call("weather", parisJson)],
      },
      {
        what: "a response behind reasoning",
        output: "<think>Hm.</think>\n<response>Yes.</response>",
        parts: [reasoning("Hm."), text("Yes.")],
      },
    ],
  },
  {
    convention: "phi4",
    marks: ["<|tool_call|>", "<|/tool_call|>"],
    forms: [
      {
        what: "a list",
        output: `<|tool_call|>[{"name": "weather", "arguments": ${parisJson}}, {"name": "now", "arguments": {}}]<|/tool_call|>`,
        parts: twoCalls,
      },
      {
        what: "a list behind a word",
        output: `functools[{"name": "weather", "arguments": ${parisJson}}]`,
        parts: [call("weather", parisJson)],
      },
    ],
  },
  {
    convention: "firefunction",
    marks: [],
    forms: [
      {
        what: "a list behind a word",
        output: ` functools[{"name": "weather", "arguments": ${parisJson}}, {"name": "now", "arguments": {}}]`,
        parts: twoCalls,
      },
    ],
  },
  {
    convention: "nemotron",
    marks: ["<TOOLCALL>", "</TOOLCALL>"],
    forms: [
      {
        what: "a list",
        output: `Wait.\n<TOOLCALL>[{"name": "weather", "arguments": ${parisJson}}, {"name": "now", "arguments": {}}]</TOOLCALL>`,
        parts: [text("Wait."), ...twoCalls],
      },
    ],
  },
  {
    convention: "apriel",
    reasoning: "reasoning-steps",
    marks: [],
    forms: [
      {
        what: "reasoning, text and a list",
        output:
          "Here are my reasoning steps:\nHm.\n[BEGIN FINAL RESPONSE]\nWait.\n" +
          `<tool_calls>[{"name": "weather", "arguments": ${parisJson}, "id": "1"}, {"name": "now", "arguments": {}}]</tool_calls>`,
        parts: [reasoning("Hm."), text("Wait."), ...twoCalls],
      },
    ],
  },
  {
    convention: "minimax-m1",
    marks: [],
    forms: [
      {
        what: "a line for each call",
        output: `<tool_calls>\n{"name": "weather", "arguments": ${parisJson}}\n{"name": "now", "arguments": {}}\n</tool_calls>`,
        parts: twoCalls,
      },
    ],
  },
  {
    convention: "apertus",
    marks: ["<|tools_prefix|>", "<|tools_suffix|>"],
    forms: [
      {
        what: "names as keys",
        output: `<|tools_prefix|>[{"weather": ${parisJson}}, {"now": {}}]<|tools_suffix|>`,
        parts: twoCalls,
      },
    ],
  },
  {
    convention: "gigachat",
    marks: ["<|message_sep|>", "<|role_sep|>"],
    forms: [
      {
        what: "a message of another role",
        output: `Wait.<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "weather", "arguments": ${parisJson}}`,
        parts: [text("Wait."), call("weather", parisJson)],
      },
    ],
  },
  {
    convention: "gigachat-3.1",
    marks: ["<|function_call|>"],
    forms: [
      {
        what: "a call behind a mark",
        output: `Wait.<|function_call|>{"name": "weather", "arguments": ${parisJson}}`,
        parts: [text("Wait."), call("weather", parisJson)],
      },
    ],
  },
  {
    convention: "command-r",
    marks: [],
    forms: [
      {
        what: "a list in a code block",
        output: `Plan: look.\nAction:\n\`\`\`json\n[\n    {\n        "tool_name": "weather",\n        "parameters": ${parisJson}\n    },\n {"tool_name": "now", "parameters": {}}\n]\`\`\``,
        parts: [text("Plan: look."), ...twoCalls],
      },
      {
        what: "no call of a tool that is none",
        output: 'Action:\n```json\n[{"tool_name": "directly-answer", "parameters": {}}]\n```',
        parts: [
          text('Action:\n```json\n[{"tool_name": "directly-answer", "parameters": {}}]\n```'),
        ],
      },
    ],
  },
  {
    convention: "command-r7b",
    reasoning: "start-thinking",
    marks: [
      ...["<|START_THINKING|>", "<|END_THINKING|>", "<|START_ACTION|>", "<|END_ACTION|>"],
      ...["<|START_RESPONSE|>", "<|END_RESPONSE|>"],
    ],
    forms: [
      {
        what: "reasoning and a list",
        output:
          "<|START_THINKING|>Hm.<|END_THINKING|><|START_ACTION|>[\n" +
          `    {"tool_call_id": "0", "tool_name": "weather", "parameters": ${parisJson}},\n` +
          '    {"tool_call_id": "1", "tool_name": "now", "parameters": {}}\n]<|END_ACTION|>',
        parts: [reasoning("Hm."), ...twoCalls],
      },
      {
        what: "a response",
        output: "<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Yes, [1].<|END_RESPONSE|>",
        parts: [reasoning("Hm."), text("Yes, [1].")],
      },
      {
        what: "reasoning that is not closed before a call",
        output:
          'Hm. <|START_ACTION|>[{"tool_call_id": "0", "tool_name": "now", "parameters": {}}]<|END_ACTION|>',
        reading: { beginsWith: "reasoning" },
        parts: [reasoning("Hm."), call("now", "{}")],
      },
    ],
  },
  {
    convention: "generic",
    marks: [],
    forms: [
      {
        what: "a call",
        output: `{"tool_call": {"name": "weather", "arguments": ${parisJson}}}`,
        parts: [call("weather", parisJson)],
      },
      {
        what: "a call with more white space, behind text",
        output: `I look it up: {\n  "tool_call" : {\n "name" : "now",\n "arguments" : {}\n }\n}\n`,
        parts: [text("I look it up:"), call("now", "{}")],
      },
      {
        what: "other JSON as text",
        output: '{"tool": "call"} {"tool_call": 1}',
        parts: [text('{"tool": "call"} {"tool_call": 1}')],
      },
    ],
  },
];

export const framedForms: readonly Forms[] = [
  {
    convention: "llama3",
    marks: ["<|python_tag|>"],
    forms: [
      {
        what: "bare JSON",
        output: `\n{"name": "weather", "parameters": ${parisJson}}`,
        parts: [call("weather", parisJson)],
      },
      {
        what: "bare JSON with a type, twice",
        output: `{"type": "function", "name": "weather", "parameters": ${parisJson}}; {"name": "now", "parameters": {}}`,
        parts: twoCalls,
      },
      {
        what: "JSON of no tool as text",
        output: '{"name": "Ada", "parameters": {}}',
        parts: [text('{"name": "Ada", "parameters": {}}')],
      },
      {
        what: "JSON behind text as text",
        output: 'Look: {"name": "now", "parameters": {}}',
        parts: [text('Look: {"name": "now", "parameters": {}}')],
      },
      {
        what: "JSON in the Python mark",
        output: `<|python_tag|>{"name": "weather", "parameters": ${parisJson}}`,
        parts: [call("weather", parisJson)],
      },
      {
        what: "the ipython form",
        output: `<|python_tag|>weather.call(city="Par\\"is", days=3)`,
        parts: [call("weather", '{"city":"Par\\"is","days":3}')],
      },
      {
        what: "a Python list",
        output: "[weather(city='Paris'), now()]",
        parts: [call("weather", '{"city":"Paris"}'), call("now", "{}")],
      },
      {
        what: "other code as text",
        output: "<|python_tag|>print(1)",
        parts: [text("<|python_tag|>print(1)")],
      },
    ],
  },
  {
    convention: "mistral-list",
    reasoning: "think-brackets",
    marks: ["[TOOL_CALLS]", "[ARGS]", "[THINK]", "[/THINK]"],
    forms: [
      {
        what: "a list",
        output: `[TOOL_CALLS][{"name": "weather", "arguments": ${parisJson}, "id": "123456789"}, {"name": "now", "arguments": {}, "id": "abcdefghi"}]`,
        parts: twoCalls,
      },
      {
        what: "a list behind a space",
        output: `[TOOL_CALLS] [{"name": "weather", "arguments": ${parisJson}}]`,
        parts: [call("weather", parisJson)],
      },
    ],
  },
  {
    convention: "mistral-args",
    reasoning: "think-brackets",
    marks: ["[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]"],
    forms: [
      {
        what: "reasoning, text and two calls",
        output: `[THINK]Hm.[/THINK]Wait.[TOOL_CALLS]weather[ARGS]${parisJson}[TOOL_CALLS]now[ARGS]{}`,
        parts: [reasoning("Hm."), text("Wait."), ...twoCalls],
      },
      {
        what: "an id",
        output: `[TOOL_CALLS]weather[CALL_ID]a1b2c3d4e[ARGS]${parisJson}`,
        parts: [call("weather", parisJson, "a1b2c3d4e")],
      },
      {
        what: "a call that is cut off",
        output: '[TOOL_CALLS]weather[ARGS]{"city": "Pa',
        parts: [cutCall("weather", '{"city": "Pa')],
      },
    ],
  },
  {
    convention: "mistral-call-id",
    reasoning: "think-brackets",
    marks: ["[TOOL_CALLS]", "[ARGS]", "[CALL_ID]"],
    forms: [
      {
        what: "ids",
        output: `[TOOL_CALLS]weather[CALL_ID]000000001[ARGS]${parisJson}[TOOL_CALLS]now[CALL_ID]000000002[ARGS]{}`,
        parts: [call("weather", parisJson, "000000001"), call("now", "{}", "000000002")],
      },
      {
        what: "no id",
        output: `[TOOL_CALLS]weather[ARGS]${parisJson}`,
        parts: [call("weather", parisJson)],
      },
    ],
  },
  {
    convention: "deepseek-v3",
    marks: [
      ...["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁sep｜>"],
      ...["<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"],
    ],
    forms: [
      {
        what: "two calls",
        output:
          "<think>\nHm.\n</think>\n\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>weather\n" +
          `\`\`\`json\n${parisJson}\n\`\`\`<｜tool▁call▁end｜>\n` +
          "<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        parts: [reasoning("Hm."), ...twoCalls],
      },
    ],
  },
  {
    convention: "deepseek-v3.1",
    marks: [
      ...["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁sep｜>"],
      ...["<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"],
    ],
    forms: [
      {
        what: "two calls, without closing the reasoning",
        output:
          "Hm.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>weather<｜tool▁sep｜>" +
          `${parisJson}<｜tool▁call▁end｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
        reading: { beginsWith: "reasoning" },
        parts: [reasoning("Hm."), ...twoCalls],
      },
    ],
  },
  {
    convention: "kimi-k2",
    marks: [
      ...["<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"],
      ...["<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"],
    ],
    forms: [
      {
        what: "two calls",
        output:
          "Wait.<|tool_calls_section_begin|><|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>" +
          `${parisJson}<|tool_call_end|><|tool_call_begin|>functions.now:1<|tool_call_argument_begin|>{}<|tool_call_end|>` +
          "<|tool_calls_section_end|>",
        parts: [
          text("Wait."),
          call("weather", parisJson, "functions.weather:0"),
          call("now", "{}", "functions.now:1"),
        ],
      },
      {
        what: "a call outside of a section, in the middle of reasoning",
        output:
          "<think>Hm.<|tool_call_begin|>functions.now:0<|tool_call_argument_begin|>{}<|tool_call_end|>",
        parts: [reasoning("Hm."), call("now", "{}", "functions.now:0")],
      },
      {
        what: "an id without a name as text",
        output: "<|tool_call_begin|>call_1<|tool_call_argument_begin|>{}<|tool_call_end|>",
        parts: [text("<|tool_call_begin|>call_1<|tool_call_argument_begin|>{}<|tool_call_end|>")],
      },
    ],
  },
  {
    convention: "functionary-v3.1",
    marks: [],
    forms: [
      {
        what: "two calls",
        output: `Wait.\n<function=weather>${parisJson}</function><function=now>{}</function>`,
        parts: [text("Wait."), ...twoCalls],
      },
    ],
  },
  {
    convention: "functionary-v3.2",
    marks: [],
    forms: [
      { what: "text", output: "all\nHello!", parts: [text("Hello!")] },
      {
        what: "text and two calls",
        output: `all\nWait.>>>weather\n${parisJson}>>>now\n{}`,
        parts: [text("Wait."), ...twoCalls],
      },
      {
        what: "only a call",
        output: `weather\n${parisJson}`,
        parts: [call("weather", parisJson)],
      },
    ],
  },
  {
    convention: "solar",
    reasoning: "think-message",
    marks: [
      ...["<|think|>", "<|end|>", "<|begin|>", "<|content|>", "<|tool_calls|>", "<|calls|>"],
      ...["<|tool_call:begin|>", "<|tool_call:name|>", "<|tool_call:args|>", "<|tool_call:end|>"],
    ],
    forms: [
      {
        what: "reasoning and two calls",
        output:
          "<|think|>Hm.<|end|><|begin|>assistant<|tool_calls|><|tool_call:begin|>id1<|tool_call:name|>weather" +
          `<|tool_call:args|>${parisJson}<|tool_call:end|><|tool_call:begin|>id2<|tool_call:name|>now` +
          "<|tool_call:args|>{}<|tool_call:end|><|calls|>",
        parts: [reasoning("Hm."), call("weather", parisJson, "id1"), call("now", "{}", "id2")],
      },
    ],
  },
];

const code = 'if (a < 1) {\n  say("<b>");\n}\n';
const codeAsJson = JSON.stringify(code);

export const parameterForms: readonly Forms[] = [
  {
    convention: "qwen3-coder",
    marks: ["<tool_call>", "</tool_call>"],
    forms: [
      {
        what: "a parameter of each type",
        output:
          'Wait.\n<tool_call>\n<function=weather>\n<parameter=city>\nPar"is\n</parameter>\n' +
          "<parameter=days>\n1.50\n</parameter>\n<parameter=alerts>\nTrue\n</parameter>\n" +
          "<parameter=places>\n['a', \"b\"]\n</parameter>\n<parameter=unit>\nnull\n</parameter>\n" +
          "<parameter=other>\nfree text\n</parameter>\n</function>\n</tool_call>",
        parts: [
          text("Wait."),
          call(
            "weather",
            '{"city":"Par\\"is","days":1.50,"alerts":true,"places":["a","b"],"unit":null,"other":"free text"}',
          ),
        ],
      },
      {
        what: "code, and a number that is a string",
        output:
          `<tool_call>\n<function=weather>\n<parameter=note>\n${code}\n</parameter>\n` +
          "<parameter=city>\n42\n</parameter>\n<parameter=amount>\n42\n</parameter>\n</function>\n</tool_call>",
        parts: [call("weather", `{"note":${codeAsJson},"city":"42","amount":42}`)],
      },
      {
        what: "calls without parameters, one without an opening tag",
        output:
          "<function=now>\n</function>\n</tool_call>\n<tool_call>\n<function=now>\n</function>\n</tool_call>",
        parts: [call("now", "{}"), call("now", "{}")],
      },
      {
        what: "a call in JSON as text",
        output: '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>',
        parts: [text('<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>')],
      },
      {
        what: "a string that is cut off",
        output: '<tool_call>\n<function=weather>\n<parameter=note>\na "b"\nc',
        parts: [cutCall("weather", '{"note":"a \\"b\\"\\nc')],
      },
      {
        what: "what follows a parameter that is not closed well as text",
        output:
          "<tool_call>\n<function=weather>\n<parameter=days>\n3\n</parameter>\n<oops>\n</function>",
        parts: [call("weather", '{"days":3}'), text("<oops>\n</function>")],
      },
    ],
  },
  {
    convention: "seed",
    reasoning: "seed-think",
    marks: ["<seed:think>", "</seed:think>", "<seed:tool_call>", "</seed:tool_call>"],
    forms: [
      {
        what: "reasoning and a call with code",
        output:
          "<seed:think>Hm.</seed:think>\n<seed:tool_call>\n<function=weather>\n" +
          `<parameter=note>${code}</parameter>\n<parameter=days>3</parameter>\n</function>\n</seed:tool_call>`,
        parts: [reasoning("Hm."), call("weather", `{"note":${codeAsJson},"days":3}`)],
      },
    ],
  },
  {
    convention: "glm",
    marks: [
      "<tool_call>",
      "</tool_call>",
      "<arg_key>",
      "</arg_key>",
      "<arg_value>",
      "</arg_value>",
    ],
    forms: [
      {
        what: "lines",
        output:
          '\n<think>Hm.</think>\n<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Par"is</arg_value>\n' +
          "<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n</tool_call>\n<tool_call>now\n</tool_call>",
        parts: [
          reasoning("Hm."),
          call("weather", '{"city":"Par\\"is","days":3}'),
          call("now", "{}"),
        ],
      },
      {
        what: "no line feeds",
        output:
          "<tool_call>weather<arg_key>note</arg_key><arg_value> a\n</arg_value>" +
          "<arg_key>unit</arg_key><arg_value>null</arg_value></tool_call><tool_call>now</tool_call>",
        parts: [call("weather", '{"note":" a\\n","unit":null}'), call("now", "{}")],
      },
    ],
  },
  {
    convention: "hunyuan",
    reasoning: "hunyuan-think",
    marks: ["<tool_calls:opensource>", "<tool_call:opensource>", "<tool_sep:opensource>"],
    forms: [
      {
        what: "two calls",
        output:
          "<think:opensource>Hm.</think:opensource>\n<tool_calls:opensource>\n" +
          "<tool_call:opensource>weather<tool_sep:opensource>\n<arg_key:opensource>days</arg_key:opensource>\n" +
          "<arg_value:opensource>3</arg_value:opensource>\n</tool_call:opensource>\n" +
          "<tool_call:opensource>now<tool_sep:opensource>\n</tool_call:opensource>\n</tool_calls:opensource>",
        parts: [reasoning("Hm."), call("weather", '{"days":3}'), call("now", "{}")],
      },
    ],
  },
  {
    convention: "minimax-m2",
    marks: ["<minimax:tool_call>", "</minimax:tool_call>"],
    forms: [
      {
        what: "two calls",
        output:
          'Hm.\n</think>\n\n<minimax:tool_call>\n<invoke name="weather">\n<parameter name="city">Par"is</parameter>\n' +
          '<parameter name="places">["a", "b"]</parameter>\n</invoke>\n<invoke name="now">\n</invoke>\n</minimax:tool_call>',
        reading: { beginsWith: "reasoning" },
        parts: [
          reasoning("Hm."),
          call("weather", '{"city":"Par\\"is","places":["a", "b"]}'),
          call("now", "{}"),
        ],
      },
    ],
  },
  {
    convention: "minimax-m3",
    reasoning: "minimax-think",
    marks: ["]<]minimax[>[", "<mm:think>", "</mm:think>"],
    forms: [
      {
        what: "reasoning, text and two calls",
        output:
          "<mm:think>Hm.</mm:think>Wait.]<]minimax[>[<tool_call>\n" +
          ']<]minimax[>[<invoke name="weather">]<]minimax[>[<city>Par"<is ]<]minimax[>[</city>' +
          "]<]minimax[>[<days>3]<]minimax[>[</days>]<]minimax[>[<alerts>true]<]minimax[>[</alerts>" +
          ']<]minimax[>[</invoke>\n]<]minimax[>[<invoke name="now">]<]minimax[>[</invoke>\n' +
          "]<]minimax[>[</tool_call>",
        parts: [
          reasoning("Hm."),
          text("Wait."),
          call("weather", '{"city":"Par\\"<is ","days":3,"alerts":true}'),
          call("now", "{}"),
        ],
      },
      {
        what: "values in tags",
        output:
          ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="nested">]<]minimax[>[<ids>' +
          "]<]minimax[>[<item>12]<]minimax[>[</item>]<]minimax[>[<item>]<]minimax[>[</item>]<]minimax[>[</ids>" +
          "]<]minimax[>[<options>]<]minimax[>[<item>7]<]minimax[>[</item>]<]minimax[>[</options>" +
          "]<]minimax[>[<free>\n]<]minimax[>[<item>]<]minimax[>[<id>1]<]minimax[>[</id>]<]minimax[>[<a b>x" +
          "]<]minimax[>[</a b>]<]minimax[>[</item>\n]<]minimax[>[</free>]<]minimax[>[</invoke>\n" +
          "]<]minimax[>[</tool_call>",
        parts: [
          call("nested", '{"ids":["12",""],"options":{"item":7},"free":[{"id":1,"a b":"x"}]}'),
        ],
      },
      {
        what: "JSON within a tag",
        output:
          ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="weather">' +
          ']<]minimax[>[<places>["a", "b"]]<]minimax[>[</places>]<]minimax[>[</invoke>\n' +
          "]<]minimax[>[</tool_call>",
        parts: [call("weather", '{"places":["a", "b"]}')],
      },
      {
        what: "a value that is neither text nor elements",
        output:
          ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="weather">]<]minimax[>[<days>3' +
          "]<]minimax[>[<item>4]<]minimax[>[</item>]<]minimax[>[</days>]<]minimax[>[</invoke>",
        parts: [
          call("weather", '{"days":'),
          text(
            "]<]minimax[>[<item>4]<]minimax[>[</item>]<]minimax[>[</days>]<]minimax[>[</invoke>",
          ),
        ],
      },
      {
        what: "a call that is cut off",
        output:
          ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="nested">]<]minimax[>[<ids>' +
          "]<]minimax[>[<item>a",
        parts: [cutCall("nested", '{"ids":["a')],
      },
    ],
  },
  {
    convention: "muse-glimmer",
    reasoning: "self-message",
    marks: ["<|start|>", "<|message|>", "<|eom|>", "<|eot|>", "<atem:function_calls>"],
    forms: [
      {
        what: "reasoning and two calls, a message each",
        output:
          " to=self<|message|>Hm.<|eom|><|start|>assistant to=weather<|message|><atem:function_calls>\n" +
          '<atem:invoke name="weather">\n<atem:parameter name="city">Par"is</atem:parameter>\n' +
          '<atem:parameter name="places">["a", "b"]</atem:parameter>\n</atem:invoke>\n' +
          "</atem:function_calls><|eom|><|start|>assistant to=now<|message|><atem:function_calls>\n" +
          '<atem:invoke name="now">\n</atem:invoke>\n</atem:function_calls><|eot|>',
        parts: [
          reasoning("Hm."),
          call("weather", '{"city":"Par\\"is","places":["a", "b"]}'),
          call("now", "{}"),
        ],
      },
      {
        what: "an answer to the user",
        output:
          " to=self<|message|>Hm.<|eom|><|start|>assistant to=user<|message|>Add ?to=5 to it.<|eot|>",
        parts: [reasoning("Hm."), text("Add ?to=5 to it.")],
      },
      {
        what: "an answer without reasoning",
        output: " to=user<|message|>Yes.",
        parts: [text("Yes.")],
      },
    ],
  },
  {
    convention: "minicpm5",
    marks: [],
    forms: [
      {
        what: "marked sections of text",
        output:
          `<function name="weather"><param name="note"><![CDATA[${code}</param>]]></param>` +
          '<param name="city">Paris</param><param name="days">3</param></function>\n<function name="now"></function>',
        parts: [
          call("weather", `{"note":${JSON.stringify(`${code}</param>`)},"city":"Paris","days":3}`),
          call("now", "{}"),
        ],
      },
    ],
  },
  ...(["deepseek-v3.2", "deepseek-v4"] as const).map((convention): Forms => {
    const section = convention === "deepseek-v4" ? "tool_calls" : "function_calls";
    return {
      convention,
      marks: ["｜DSML｜"],
      forms: [
        {
          what: "two calls, without closing the reasoning",
          output:
            `Hm.\n\n<｜DSML｜${section}>\n<｜DSML｜invoke name="weather">\n` +
            '<｜DSML｜parameter name="amount" string="true">42</｜DSML｜parameter>\n' +
            '<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>\n' +
            '<｜DSML｜parameter name="other" string="false">{"a": [1.0]}</｜DSML｜parameter>\n' +
            '</｜DSML｜invoke>\n<｜DSML｜invoke name="now">\n</｜DSML｜invoke>\n' +
            `</｜DSML｜${section}>`,
          reading: { beginsWith: "reasoning" },
          parts: [
            reasoning("Hm."),
            call("weather", '{"amount":"42","days":3,"other":{"a": [1.0]}}'),
            call("now", "{}"),
          ],
        },
      ],
    };
  }),
  {
    convention: "kimi-k3",
    reasoning: "think-section",
    marks: ["<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>"],
    forms: [
      {
        what: "reasoning, text and two calls",
        output:
          "Hm.<|close|>think<|sep|><|open|>response<|sep|>Wait.<|close|>response<|sep|><|open|>tools<|sep|>" +
          '<|open|>call tool="weather" index="1"<|sep|><|open|>argument key="city" type="string"<|sep|>Par"is' +
          '<|close|>argument<|sep|><|open|>argument key="days" type="number"<|sep|>3<|close|>argument<|sep|>' +
          '<|close|>call<|sep|><|open|>call tool="now" index="2"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>' +
          "<|close|>message<|sep|><|end_of_msg|>",
        reading: { beginsWith: "reasoning" },
        parts: [
          reasoning("Hm."),
          text("Wait."),
          call("weather", '{"city":"Par\\"is","days":3}'),
          call("now", "{}"),
        ],
      },
    ],
  },
];

export const literalForms: readonly Forms[] = [
  {
    convention: "lfm2",
    marks: ["<|tool_call_start|>", "<|tool_call_end|>"],
    forms: [
      {
        what: "two calls",
        output:
          "Wait.<|tool_call_start|>[weather(city='Par\"is', days=3, alerts=True, unit=None), now()]<|tool_call_end|>",
        parts: [
          text("Wait."),
          call("weather", '{"city":"Par\\"is","days":3,"alerts":true,"unit":null}'),
          call("now", "{}"),
        ],
      },
      {
        what: "nested values, and escapes",
        output:
          '<|tool_call_start|>[a.b(x={"k": (1, -2.5e3), \'l\': []}, y="a\\n\\x41\\u00e9\\d\\\'\\"", z=false)]<|tool_call_end|>',
        parts: [
          call("a.b", '{"x":{"k":[1,-2.5e3],"l":[]},"y":"a\\nA\\u00e9\\\\d\'\\"","z":false}'),
        ],
      },
      {
        what: "links as text",
        output: "See [now](https://example.org).",
        parts: [text("See [now](https://example.org).")],
      },
      {
        what: "a call that is cut off",
        output: "<|tool_call_start|>[weather(city='Pa",
        parts: [cutCall("weather", '{"city":"Pa')],
      },
      {
        what: "positional arguments as text",
        output: "<|tool_call_start|>[weather('Paris')]<|tool_call_end|>",
        parts: [text("<|tool_call_start|>[weather('Paris')]<|tool_call_end|>")],
      },
    ],
  },
  {
    convention: "gemma4",
    reasoning: "thought-channel",
    marks: ["<|tool_call>", "<tool_call|>", '<|"|>', "<|channel>", "<channel|>"],
    forms: [
      {
        what: "reasoning and two calls",
        output:
          '<|channel>thought\nHm.<channel|><|tool_call>call:weather{city:<|"|>Par"is\n<|"|>,days:3,' +
          'places:[<|"|>a<|"|>,{deep:true}],unit:null}<tool_call|><|tool_call>call:now{}<tool_call|>',
        parts: [
          reasoning("Hm."),
          call(
            "weather",
            '{"city":"Par\\"is\\n","days":3,"places":["a",{"deep":true}],"unit":null}',
          ),
          call("now", "{}"),
        ],
      },
      {
        what: "strings as in JSON",
        output: '<|tool_call>call:weather{"city": "Paris", days: 3}<tool_call|>',
        parts: [call("weather", '{"city":"Paris","days":3}')],
      },
      {
        what: "reasoning behind text, and a stray end of it",
        output: "Yes.<|channel>thought\n<channel|>Really.",
        parts: [text("Yes.Really.")],
      },
    ],
  },
  {
    convention: "gpt-oss",
    reasoning: "analysis-channel",
    marks: [...["<|channel|>", "<|message|>", "<|start|>", "<|end|>", "<|call|>", "<|constrain|>"]],
    forms: [
      {
        what: "an answer",
        output:
          "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hello,\nyou!",
        parts: [reasoning("Hm."), text("Hello,\nyou!")],
      },
      {
        what: "a call with its recipient in the channel",
        output:
          "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.weather " +
          `<|constrain|>json<|message|>${parisJson}<|call|>`,
        parts: [reasoning("Hm."), call("weather", parisJson)],
      },
      {
        what: "text and a call with its recipient in the role",
        output:
          "<|channel|>commentary<|message|>Wait.<|end|><|start|>assistant to=functions.weather<|channel|>commentary json" +
          `<|message|>${parisJson}<|call|>`,
        parts: [text("Wait."), call("weather", parisJson)],
      },
      {
        what: "a call at once",
        output: ` to=functions.now<|channel|>analysis<|message|>{}<|end|>`,
        parts: [call("now", "{}")],
      },
      {
        what: "open reasoning",
        output: "Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.",
        reading: { beginsWith: "reasoning" },
        parts: [reasoning("Hm."), text("Yes.")],
      },
      {
        what: "a message without a header",
        output: "Hello!",
        parts: [text("Hello!")],
      },
      {
        what: "a call without arguments that can be read as text",
        output: "<|channel|>commentary to=functions.now<|message|>now please<|call|>",
        parts: [text("now please")],
      },
      {
        what: "a call that is cut off",
        output: '<|channel|>commentary to=functions.weather<|message|>{"city": "Pa',
        parts: [cutCall("weather", '{"city": "Pa')],
      },
    ],
  },
];

export const allForms: readonly Forms[] = [
  ...jsonForms,
  ...framedForms,
  ...parameterForms,
  ...literalForms,
];
