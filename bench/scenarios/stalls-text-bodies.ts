import {
  type BodyBuilder,
  chatBody,
  filled,
  message,
  messagesWithCalls,
  object,
  tool,
  toolCall,
} from "./stalls-body.js";

const chat = (text: string) => chatBody({ messages: `[${message(text)}]` });
const withTool = (text: string) =>
  chatBody({ tools: `[${tool("f", { description: `"${text}"` })}]` });
const withCall = (text: string) => chatBody({ messages: `[${messagesWithCalls(toolCall(text))}]` });
const withVariable = (text: string) => chatBody({ chat_template_kwargs: `{"v":"${text}"}` });
const withReasoning = (text: string) => {
  const reply = object({ role: '"assistant"', reasoning_content: `"${text}"` });
  return chatBody({ messages: `[${reply},${message("a")}]` });
};
const withStops = (text: string) =>
  chatBody({ stop: `[${["a", "b", "c", "d"].map((first) => `"${first}${text}"`).join(",")}]` });

/** Texts of control tokens of ChatML and of GPT-2's vocabulary. */
export const CONTROL_TOKENS = "<|im_end|><|endoftext|>";

/** Texts that are hard to tokenise when repeated, escaped as in JSON. */
export const awkwardTexts = {
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
    ({ bytes, contextSize }) => filled(Math.min(bytes, perToken * contextSize), unit, chat),
  ]),
);

/** Bodies that are bad by one text, its length or its characters, by name. */
export const textBodies: Readonly<Record<string, BodyBuilder>> = {
  ...Object.fromEntries(awkwardPrompts),
  "a long prompt": ({ bytes }) => filled(bytes, "able ", chat),
  "a long prompt of emoji": ({ bytes }) => filled(bytes, "🙂", chat),
  "a prompt of escaped letters": ({ bytes }) => filled(bytes, "\\u0061", chat),
  "a prompt of backslashes": ({ bytes }) => filled(bytes, "\\\\", chat),
  "a prompt of quotes": ({ bytes }) => filled(bytes, '\\"', chat),
  "a long tool": ({ bytes }) => filled(bytes, "able ", withTool),
  "a tool of control tokens": ({ bytes }) => filled(bytes, CONTROL_TOKENS, withTool),
  "a tool call with a long text": ({ bytes }) => filled(bytes, "able ", withCall),
  "a tool call of control tokens": ({ bytes }) => filled(bytes, CONTROL_TOKENS, withCall),
  "a long variable": ({ bytes }) => filled(bytes, "able ", withVariable),
  "a variable of control tokens": ({ bytes }) => filled(bytes, CONTROL_TOKENS, withVariable),
  "long reasoning": ({ bytes }) => filled(bytes, "able ", withReasoning),
  // The body contains the text four times.
  "long stop strings": ({ bytes }) => filled(bytes / 4, "a", withStops),

  "a long name of the model": ({ bytes }) =>
    filled(bytes, "m", (text) => chatBody({ model: `"${text}"` })),
  "a long role": ({ bytes }) =>
    filled(bytes, "r", (text) => chatBody({ messages: `[${message("a", text)}]` })),
  "a long name of a tool": ({ bytes }) =>
    filled(bytes, "f", (text) => chatBody({ tools: `[${tool(text)}]` })),
  "a long key": ({ bytes }) => filled(bytes, "k", (text) => chatBody({ [text]: "0" })),
  "a long key of a bias": ({ bytes }) =>
    filled(bytes, "k", (text) => chatBody({ logit_bias: `{"${text}":0}` })),
  "a long token id": ({ bytes }) =>
    filled(bytes, "7", (text) => chatBody({ logit_bias: `{"${text}":0}` })),
  "a long number": ({ bytes }) =>
    filled(bytes, "7", (text) => chatBody({ temperature: `0.${text}7` })),
  "white space": ({ bytes }) => filled(bytes, " ", (text) => text + chatBody({})),
  "no JSON": ({ bytes }) => filled(bytes, "x", (text) => text),

  // Last, because it takes longer than all others.
  "a prompt that fits": ({ fittingText }) => chat(fittingText),
};
