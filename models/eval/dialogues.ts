import type { Tool } from "../corpus/conversation.js";

/** The user's side of a conversation, written by hand. */
export interface Dialogue {
  readonly title: string;
  readonly system?: string;
  readonly thinking?: boolean;
  /** Each tool with what it answers, whatever it is called with. */
  readonly tools?: readonly { readonly tool: Tool; readonly answer: string }[];
  readonly says: readonly string[];
}

const weather = {
  tool: {
    name: "get_weather",
    description: "Get the current weather for a city",
    parameters: { city: "string" },
  },
  answer: '{"temperature": 7, "condition": "cloudy"}',
} as const;

const timer = {
  tool: {
    name: "set_timer",
    description: "Set a timer",
    parameters: { minutes: "integer", label: "string" },
  },
  answer: '{"ok": true}',
} as const;

/** Ten conversations, of all that the model was made for. */
export const dialogues: readonly Dialogue[] = [
  {
    title: "Small talk and farewell",
    says: [
      "Good morning!",
      "How are you today?",
      "What can you do?",
      "Are you a human?",
      "Thanks, see you tomorrow!",
    ],
  },
  {
    title: "Remembering what was said",
    says: [
      "Hello, my name is Margarethe.",
      "I live in Galway and my dog is called Biscuit.",
      "What is 27 + 35?",
      "What is my name?",
      "And what is my dog called?",
      "What is my favourite colour?",
    ],
  },
  {
    title: "Copying words",
    says: [
      "Repeat after me: purple lanterns float at noon",
      "Now say Zanderfil",
      "What did I ask you to say first?",
      "Say tomato three times.",
    ],
  },
  {
    title: "Arithmetic and counting",
    says: ["81 - 19", "What is 46 plus 38?", "Count from 5 to 12.", "What is 312 times 14?"],
  },
  {
    title: "Reading, and facts of the world",
    says: [
      "Nadia works as a chemist in Tunis. She wears a green coat. What does Nadia do for a living?",
      "Which colour is her coat?",
      "What is the capital of Japan?",
      "What is the opposite of heavy?",
      "Name four vegetables.",
      "Is a carrot a fruit?",
    ],
  },
  {
    title: "JSON, then a story",
    says: [
      'Write a JSON object with title "Blue Whale", pages 210 and author Kate.',
      "Make a JSON object with name and age from this text: Ruben is 34 years old.",
      "Nice. Now tell me a story about a badger called Fred.",
      "That was great!",
    ],
  },
  {
    title: "A persona",
    system: "You are Captain Irene, a sailor.",
    says: [
      "Who are you?",
      "What is the capital of Norway?",
      "Are you a robot?",
      "Goodbye, captain!",
    ],
  },
  {
    title: "Upper case, with tools that are not needed",
    system: "Answer in upper case.",
    tools: [timer],
    says: ["What colour is snow?", "What day comes after Tuesday?", "Thank you!"],
  },
  {
    title: "A tool call, its result, and a second one",
    system: "You are a helpful assistant.",
    tools: [weather, timer],
    says: [
      "What is the weather in Bergen?",
      "Set a timer for 12 minutes with the label pasta.",
      "Book a table for two.",
      "Thanks a lot!",
    ],
  },
  {
    title: "Thinking first, and not knowing",
    thinking: true,
    says: [
      "What is 54 - 26?",
      "Who won the world cup in 1998?",
      "What is the capital of Portugal?",
      "Write a poem about a lighthouse.",
    ],
  },
];
