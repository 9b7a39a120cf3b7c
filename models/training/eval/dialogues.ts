import type { Tool } from "../corpus/conversation.js";

/** User's messages of a conversation, written by hand. */
export interface Dialogue {
  readonly title: string;
  readonly system?: string;
  readonly thinking?: boolean;
  /** Tools, each with its fixed answer. */
  readonly tools?: readonly { readonly tool: Tool; readonly answer: string }[];
  readonly says: readonly string[];
}

const trains = {
  tool: {
    name: "find_train",
    description: "Find the next train to a station",
    parameters: { station: "string" },
  },
  answer: '{"departure": "14:25", "platform": 6}',
} as const;

const shoppingList = {
  tool: {
    name: "add_to_list",
    description: "Add an item to the shopping list",
    parameters: { item: "string", quantity: "integer" },
  },
  answer: '{"ok": true}',
} as const;

/**
 * Ten conversations that cover all purposes of the model; the corpus was not changed after any of
 * them.
 */
export const dialogues: readonly Dialogue[] = [
  {
    title: "A first visit",
    says: [
      "hey there",
      "so what exactly are you?",
      "what sort of things can I ask?",
      "do you make mistakes?",
      "ok thanks, bye for now",
    ],
  },
  {
    title: "Getting to know each other",
    says: [
      "Hi! I'm Oswald.",
      "I come from Trieste, and I work as a gardener.",
      "What is 18 + 47?",
      "Do you remember my name?",
      "Where am I from?",
      "What's my cat's name?",
    ],
  },
  {
    title: "Saying things back",
    says: [
      "Say: seven grey herons wait by the canal",
      "And now say Brumolindo",
      "Repeat your last answer.",
      "Write the word marble three times.",
    ],
  },
  {
    title: "Sums and counting",
    says: ["How much is 93 - 57?", "29+64", "Count from 8 to 15", "what's 250 divided by 5"],
  },
  {
    title: "A paragraph, and what everybody knows",
    says: [
      "Ravenna was built in 1702. Olga lives in Minsk. Olga bought a lantern. Where does Olga live?",
      "What did she buy?",
      "Which city is the capital of Kenya?",
      "What's the opposite of narrow?",
      "Give me five birds.",
      "Is a rose a drink?",
    ],
  },
  {
    title: "JSON, then a story",
    says: [
      'Give me a JSON object with city "Lund", year 1984 and owner Petra.',
      "Nice one!",
      "Can you tell me a story about a tortoise called Maud?",
      "haha, good one",
    ],
  },
  {
    title: "Somebody else",
    system: "Your name is Doctor Finch. You are a dentist.",
    says: ["Hello, who am I talking to?", "What colour is milk?", "Thank you, doctor!"],
  },
  {
    title: "One word, with tools that are not needed",
    system: "Answer with one word.",
    tools: [shoppingList],
    says: [
      "What is the capital of Finland?",
      "What day comes before Sunday?",
      "Opposite of early?",
    ],
  },
  {
    title: "A tool, its result, and another one",
    system: "You are a helpful assistant.",
    tools: [trains, shoppingList],
    says: [
      "When does the next train to Antwerp leave?",
      "Please add 4 lemons to my list.",
      "Send an email to Ruth.",
      "Great, that helps!",
    ],
  },
  {
    title: "Thinking first, and not knowing",
    thinking: true,
    says: [
      "What is 71 - 48?",
      "Who is the mayor of Leeds?",
      "Name the capital of Iceland.",
      "Draw a picture of a cat.",
    ],
  },
];
