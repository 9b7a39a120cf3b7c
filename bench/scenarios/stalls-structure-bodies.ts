import {
  type BodyBuilder,
  chatBody,
  filled,
  listed,
  listOf,
  message,
  messagesWithCalls,
  nested,
  object,
  tool,
  toolCall,
} from "./stalls-body.js";
import { limits } from "./stalls-limits.js";

/** Maximum bytes of a request in addition to its list of messages or tools. */
const FRAME_BYTES = 100;
/** Levels of nesting around a member of the request, and around the parameters of a tool. */
const LEVELS_AROUND = { member: 1, variable: 2, parameters: 4 } as const;

const chat = (messages: string) => chatBody({ messages: `[${messages}]` });
const withTools = (tools: string) => chatBody({ tools: `[${tools}]` });
const withVariables = (variables: string) => chatBody({ chat_template_kwargs: `{${variables}}` });
const withBiases = (biases: string) => chatBody({ logit_bias: `{${biases}}` });
const withStops = (stops: string) => chatBody({ stop: `[${stops}]` });
const withFields = (fields: string) => chatBody({}).replace(/}$/, `,${fields}}`);

const deepObject = (around: number) => nested(limits.depth - around, '{"a":', "0", "}");
const deepArray = (around: number) => nested(limits.depth - around, "[", "", "]");
const parameter = (index: number) => `"p${index}":{"type":"string"}`;
const member = (index: number) => `"m${index}":0`;
const messageOfParts = (part: string) =>
  object({ role: '"user"', content: `[${listOf(limits.parts, () => part)}]` });

/** Bytes of each of `count` items that fill a body, without its comma. */
const share = (bytes: number, count: number) => (bytes - FRAME_BYTES) / count - 1;

/** Bodies that are bad by their structure: by number, depth and faults of their values, by name. */
export const structureBodies: Readonly<Record<string, BodyBuilder>> = {
  "most messages": ({ values }) =>
    listed({ values, items: limits.messages }, () => message("a"), chat),
  "most messages, filled": ({ bytes, values }) => {
    const filledMessage = filled(share(bytes, limits.messages), "able ", (text) => message(text));
    return listed({ values, items: limits.messages }, () => filledMessage, chat);
  },
  // The number of messages alone is acceptable: they would fit if each were one token.
  "messages as many as fit": ({ values, contextSize }) =>
    listed({ values, items: Math.min(limits.messages, contextSize - 1) }, () => message("a"), chat),
  "all messages wrong": ({ values }) =>
    listed({ values, items: limits.messages }, () => message("a", "x"), chat),
  "last message wrong": ({ values }) =>
    listed(
      { values, items: limits.messages - 1 },
      () => message("a"),
      (messages) => chat(`${messages},${message("a", "x")}`),
    ),
  "zeros as messages": ({ bytes }) => filled(bytes, "0,", (zeros) => chat(`${zeros}0`)),
  "most zeros as messages": ({ values }) => listed({ values, items: Infinity }, () => "0", chat),
  "most parts": ({ values }) => {
    const parts = messageOfParts('{"type":"text","text":"a"}');
    return listed({ values, items: limits.messages }, () => parts, chat);
  },
  "all parts wrong": ({ values }) => {
    const parts = messageOfParts('{"type":"x","text":"a"}');
    return listed({ values, items: limits.messages }, () => parts, chat);
  },

  "most tools": ({ values }) =>
    listed({ values, items: limits.tools }, (index) => tool(`f${index}`), withTools),
  "most tools, most parameters": ({ values }) => {
    const properties = `{${listOf(40, parameter)}}`;
    const described = tool("f", { parameters: object({ properties }) });
    return listed({ values, items: limits.tools }, () => described, withTools);
  },
  "most tools, filled": ({ bytes, values }) => {
    const filledTool = filled(share(bytes, limits.tools), "able ", (text) =>
      tool("f", { description: `"${text}"` }),
    );
    return listed({ values, items: limits.tools }, () => filledTool, withTools);
  },
  "one tool, most parameters": ({ values }) =>
    listed({ values, items: Infinity }, parameter, (properties) =>
      withTools(tool("f", { parameters: `{"properties":{${properties}}}` })),
    ),
  "deepest tools": ({ values }) => {
    const deep = tool("f", { parameters: deepObject(LEVELS_AROUND.parameters) });
    return listed({ values, items: limits.tools }, () => deep, withTools);
  },
  "all tools wrong": ({ values }) =>
    listed({ values, items: limits.tools }, () => tool("f f"), withTools),
  "most tool calls": ({ values }) => {
    const messages = messagesWithCalls(listOf(limits.toolCalls, () => toolCall("{}")));
    return listed({ values, items: limits.messages }, () => messages, chat);
  },
  // Values inside a string, which the limit on the body's own values does not count.
  "tool call with objects": ({ bytes }) =>
    filled(bytes, "{},", (objects) => chat(messagesWithCalls(toolCall(`[${objects}0]`)))),
  "tool call with brackets": ({ bytes }) =>
    filled(bytes, "[", (brackets) => chat(messagesWithCalls(toolCall(brackets)))),

  "brackets as messages": ({ bytes }) => filled(bytes, "[", chat),
  "deepest response format": () => chatBody({ response_format: deepObject(LEVELS_AROUND.member) }),
  "deepest variables": ({ values }) => {
    const deep = deepArray(LEVELS_AROUND.variable);
    const variable = (index: number) => `"v${index}":${deep}`;
    return listed({ values, items: limits.templateVariables }, variable, withVariables);
  },
  "too many variables": ({ values }) => listed({ values, items: Infinity }, member, withVariables),
  "most biases": ({ values }) =>
    listed({ values, items: limits.logitBiases }, (index) => `"${index}":1`, withBiases),
  "too many biases": ({ values }) =>
    listed({ values, items: Infinity }, (index) => `"${index}":1`, withBiases),
  "too many stop strings": ({ values }) =>
    listed({ values, items: Infinity }, () => '"a"', withStops),
  "millions of stop strings": ({ bytes }) =>
    filled(bytes, '"a",', (stops) => withStops(`${stops}"a"`)),
  "most unknown fields": ({ values }) => listed({ values, items: Infinity }, member, withFields),
  "most unknown fields of a message": ({ values }) =>
    listed({ values, items: Infinity }, member, (fields) =>
      chat(`{"role":"user","content":"a",${fields}}`),
    ),
};
