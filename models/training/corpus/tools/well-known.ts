import type { Random } from "../../../random/random-choices.js";
import type { Json, Tool, ToolCall } from "../conversation.js";
import { typed } from "../phrasing.js";
import { passage } from "../skills/copy.js";
import type { Lexicon } from "../words/lexicon.js";

/** Tool with a call and a natural request for it. */
export interface WellKnown {
  readonly tool: Tool;
  readonly call: ToolCall;
  readonly says: string;
  readonly noun: string;
}

interface Pattern {
  readonly names: readonly string[];
  readonly noun: string;
  readonly descriptions: readonly string[];
  readonly keys: Readonly<Record<string, readonly string[]>>;
  readonly says: readonly string[];
}

const patterns: readonly Pattern[] = [
  {
    names: ["get_weather", "weather", "get_current_weather", "getWeather", "weather_forecast"],
    noun: "weather",
    descriptions: ["Get the weather", "Get the current weather for a city", "Weather in a place"],
    keys: { place: ["city", "location", "place"] },
    says: [
      "What is the weather in {place}?",
      "How is the weather in {place}?",
      "Is it raining in {place}?",
      "Will it rain in {place}?",
      "What's the weather like in {place}?",
      "Is it cold in {place}?",
      "Do I need an umbrella in {place}?",
      "weather in {place}",
      "How warm is it in {place}?",
      "Tell me the weather in {place}.",
      "Is it sunny in {place} today?",
    ],
  },
  {
    names: ["get_time", "current_time", "get_current_time", "clock"],
    noun: "time",
    descriptions: ["Get the current time", "Current time in a city", "Tells the time"],
    keys: { place: ["city", "timezone", "location", "place"] },
    says: [
      "What time is it in {place}?",
      "Tell me the time in {place}.",
      "What's the time in {place}?",
      "time in {place}",
      "How late is it in {place}?",
    ],
  },
  {
    names: ["web_search", "search", "search_web", "google"],
    noun: "search",
    descriptions: ["Search the web", "Find pages on the web", "Web search"],
    keys: { text: ["query", "q", "text"] },
    says: [
      "Search the web for {text}.",
      "Search for {text}",
      "Look up {text} on the web.",
      "Find pages about {text}.",
      "Google {text}",
    ],
  },
  {
    names: ["send_email", "send_message", "send_mail", "sendMessage"],
    noun: "message",
    descriptions: ["Send a message to somebody", "Send a message", "Write to a person"],
    keys: { person: ["to", "recipient", "name"], text: ["message", "text", "body"] },
    says: [
      'Tell {person} "{text}".',
      'Send {person} the message "{text}".',
      'Write "{text}" to {person}.',
      "Message {person}: {text}",
    ],
  },
  {
    names: ["set_timer", "start_timer", "timer"],
    noun: "timer",
    descriptions: ["Set a timer", "Start a timer"],
    keys: { n: ["minutes", "duration"] },
    says: [
      "Set a timer for {n} minutes.",
      "Start a {n} minute timer.",
      "Wake me in {n} minutes.",
      "timer {n} minutes",
    ],
  },
  {
    names: ["add", "add_numbers", "sum", "plus"],
    noun: "sum",
    descriptions: ["Add two numbers", "The sum of two numbers", "Adds a and b"],
    keys: { n: ["a", "x", "first"], m: ["b", "y", "second"] },
    says: [
      "What is {n} + {m}?",
      "Add {n} and {m}.",
      "What is {n} plus {m}?",
      "{n}+{m}",
      "Calculate {n} + {m}.",
    ],
  },
  {
    names: ["multiply", "multiply_numbers", "times", "product"],
    noun: "product",
    descriptions: ["Multiply two numbers", "The product of two numbers"],
    keys: { n: ["a", "x", "first"], m: ["b", "y", "second"] },
    says: [
      "What is {n} times {m}?",
      "Multiply {n} by {m}.",
      "{n} * {m}",
      "What is {n} x {m}?",
      "Multiply {n} and {m}.",
    ],
  },
  {
    names: ["translate", "translate_text", "translator"],
    noun: "translation",
    descriptions: ["Translate a text", "Translate text into a language"],
    keys: { text: ["text"], language: ["language", "target", "to"] },
    says: [
      'Translate "{text}" into {language}.',
      'What is "{text}" in {language}?',
      'How do you say "{text}" in {language}?',
    ],
  },
  {
    names: ["add_todo", "create_todo", "add_task", "create_task"],
    noun: "task",
    descriptions: ["Add a task to the list", "Create a todo"],
    keys: { text: ["title", "task", "text"] },
    says: [
      "Remind me to {text}.",
      "Add {text} to my list.",
      'Put "{text}" on my todo list.',
      "Note that I must {text}.",
      "Add a task: {text}",
    ],
  },
  {
    names: ["get_stock_price", "stock_price", "quote"],
    noun: "stock price",
    descriptions: ["Get the price of a stock", "Current stock price"],
    keys: { stock: ["symbol", "company", "ticker"] },
    says: [
      "What is the stock price of {stock}?",
      "How much is a share of {stock}?",
      "Stock price of {stock}",
      "What does {stock} trade at?",
      "{stock} stock price",
    ],
  },
  {
    names: ["convert_currency", "currency_converter", "convertCurrency", "exchange"],
    noun: "conversion",
    descriptions: ["Convert an amount of money", "Convert between currencies"],
    keys: {
      n: ["amount", "value"],
      currency: ["from", "from_currency", "source"],
      target: ["to", "to_currency", "target"],
    },
    says: [
      "Convert {n} {currency} to {target}.",
      "How much is {n} {currency} in {target}?",
      "What are {n} {currency} in {target}?",
      "Change {n} {currency} into {target}.",
      "{n} {currency} to {target}",
    ],
  },
];

/** Draws one of the tools that most programs try first. */
export function wellKnown(random: Random, words: Lexicon): WellKnown {
  const pattern = random.pick(patterns);
  const drawn: Record<string, string | number> = {
    place: words.place(random),
    person: words.name(random),
    stock: random.chance(0.6) ? words.symbol(random) : words.name(random),
    currency: words.symbol(random),
    target: words.symbol(random),
    text: passage(random, words).replace(/[.!?]$/, ""),
    n: random.int(1, 99),
    m: random.int(1, 99),
    language: random.pick([
      "French",
      "German",
      "Spanish",
      "Italian",
      "English",
      "Japanese",
      "Latin",
    ]),
  };
  const chosen = Object.entries(pattern.keys).map(
    ([slot, keys]) => [random.pick(keys), drawn[slot] ?? ""] as const,
  );
  const parameters = chosen.map(
    ([key, value]) => [key, typeof value === "number" ? "integer" : "string"] as const,
  );
  const name = random.pick(pattern.names);
  return {
    tool: {
      name,
      description: random.pick(pattern.descriptions),
      parameters: Object.fromEntries(parameters),
    },
    call: { name, arguments: Object.fromEntries(chosen) as Record<string, Json> },
    says: typed(random, random.pick(pattern.says), drawn),
    noun: pattern.noun,
  };
}
