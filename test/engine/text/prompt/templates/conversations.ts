import type {
  TextMessage as ChatMessage,
  TextChatPrompt as ChatPrompt,
  ToolCall,
  ToolDefinition,
} from "../../../../../src/core/generation-request.js";

const weather: ToolDefinition = {
  name: "get_weather",
  description: 'Current weather; says "unknown" for small places',
  parameters: {
    type: "object",
    properties: {
      city: { type: "string", description: "Name of a city, e.g. Zürich" },
      unit: { type: "string", enum: ["celsius", "fahrenheit"], default: "celsius" },
      days: { type: "integer", minimum: 1, maximum: 14 },
      around: { type: "array", items: { type: "number" } },
    },
    required: ["city"],
    additionalProperties: false,
  },
};
const clock: ToolDefinition = { name: "get_time", parameters: { type: "object", properties: {} } };
const tools = [weather, clock];

const system: ChatMessage = { role: "system", content: "You are terse.\nAnswer in English." };
const user = (content: string): ChatMessage => ({ role: "user", content });
const assistant = (content: string, reasoning?: string): ChatMessage => ({
  role: "assistant",
  content,
  reasoning,
});
const calls = (toolCalls: readonly ToolCall[], content = "", reasoning?: string): ChatMessage => ({
  role: "assistant",
  content,
  reasoning,
  toolCalls,
});
const result = (toolCallId: string, name: string, content: string): ChatMessage => ({
  role: "tool",
  content,
  toolCallId,
  name,
});

const question = user("What is the weather in Zürich?");
/** Nine alphanumeric characters, as Mistral's templates demand. */
const inZurich: ToolCall = {
  id: "call00001",
  name: "get_weather",
  arguments: '{"city": "Zürich", "days": 3}',
};
const inOslo: ToolCall = {
  id: "call00002",
  name: "get_weather",
  arguments: '{"city":"Oslo \\"centre\\"","unit":"celsius"}',
};
const zurichResult = result("call00001", "get_weather", '{"sky": "grey", "degrees": 11}');
const osloResult = result("call00002", "get_weather", "snow");
const reasoning = "The user asks for the weather.\nI look it up.";

const called = [question, calls([inZurich]), zurichResult];
const thinkingOff = { enable_thinking: false };

function prompt(parts: Partial<ChatPrompt>): ChatPrompt {
  return { type: "chat", messages: [user("Hello")], tools: [], templateVariables: {}, ...parts };
}

/** Conversations on which every template is compared with llama-server. */
export const conversations: Readonly<Record<string, ChatPrompt>> = {
  "a question": prompt({}),
  "a system message": prompt({ messages: [system, user("Hello")] }),
  "several turns": prompt({
    messages: [system, user("Hello"), assistant("Hi."), user("Who are you?")],
  }),
  "an empty system message": prompt({ messages: [{ role: "system", content: "" }, user(" Hi ")] }),
  "a system message behind others": prompt({
    messages: [user("Hello"), assistant("Hi."), system, user("Who are you?")],
  }),
  "two user messages": prompt({ messages: [user("Hello"), user("Is anybody there?")] }),
  "a user with a name": prompt({ messages: [{ role: "user", content: "Hello", name: "Ann" }] }),
  "thinking off": prompt({ templateVariables: thinkingOff }),
  "thinking on": prompt({ templateVariables: { enable_thinking: true } }),
  "low reasoning effort": prompt({ templateVariables: { reasoning_effort: "low" } }),
  "reasoning of an earlier answer": prompt({
    messages: [user("Hello"), assistant("Hi.", reasoning), user("Who are you?")],
  }),
  "reasoning that is to be preserved": prompt({
    messages: [user("Hello"), assistant("Hi.", reasoning), user("Who are you?")],
    templateVariables: { preserve_reasoning: true },
  }),
  "an answer to continue": prompt({ messages: [user("Hello"), assistant("Hi, I")] }),
  "an answer to continue, thinking off": prompt({
    messages: [user("Hello"), assistant("Hi, I")],
    templateVariables: thinkingOff,
  }),
  "an answer with reasoning to continue": prompt({
    messages: [user("Hello"), assistant("Hi, I", reasoning)],
  }),
  "reasoning to continue": prompt({ messages: [user("Hello"), assistant("", reasoning)] }),
  tools: prompt({ messages: [question], tools }),
  "tools and a system message": prompt({ messages: [system, question], tools }),
  "tools, thinking off": prompt({
    messages: [system, question],
    tools,
    templateVariables: thinkingOff,
  }),
  "a tool without parameters": prompt({ messages: [question], tools: [{ name: "get_time" }] }),
  "a call and its result": prompt({ messages: called, tools }),
  "a call with text and reasoning": prompt({
    messages: [
      system,
      question,
      calls([inZurich], "I look it up.", reasoning),
      zurichResult,
      assistant("It is grey.", "So it is."),
      user("And tomorrow?"),
    ],
    tools,
  }),
  "a call with reasoning and its result": prompt({
    messages: [question, calls([inZurich], "", reasoning), zurichResult],
    tools,
  }),
  "parallel calls": prompt({
    messages: [question, calls([inZurich, inOslo]), zurichResult, osloResult],
    tools,
  }),
  "parallel calls with results in another order": prompt({
    messages: [question, calls([inZurich, inOslo]), osloResult, zurichResult, user("And?")],
    tools,
  }),
  "two calls, one after the other": prompt({
    messages: [...called, calls([inOslo]), osloResult],
    tools,
  }),
  "an answer after a call": prompt({
    messages: [...called, assistant("It is grey."), user("Thanks")],
    tools,
  }),
  "a call without arguments": prompt({
    messages: [
      user("What time is it?"),
      calls([{ id: "call00003", name: "get_time", arguments: "{}" }]),
      result("call00003", "get_time", "12:00"),
    ],
    tools,
  }),
  "arguments of every type": prompt({
    messages: [
      question,
      calls([
        {
          id: "call00004",
          name: "get_weather",
          arguments: '{"city":{"name":"Bern"},"exact":true,"around":[0.5,-7,null],"unit":null}',
        },
      ]),
      result("call00004", "get_weather", "fog"),
    ],
    tools,
  }),
  "calls of tools that are no longer offered": prompt({ messages: called }),
};
