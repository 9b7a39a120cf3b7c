import type { Random } from "../../../random/random-choices.js";
import type { Conversation, Message, Skill } from "../conversation.js";
import { assistant, fill, typed, user } from "../phrasing.js";
import { colours } from "../words/common.js";
import { article, capital, type Lexicon } from "../words/lexicon.js";
import { arithmetic } from "./arithmetic.js";
import { chat } from "./chat.js";
import { facts } from "./facts.js";

interface Topic {
  readonly tell: readonly string[];
  readonly note: string;
  readonly ask: readonly string[];
  readonly answer: string;
  readonly system: string;
  readonly unknown: string;
  readonly value: (random: Random, words: Lexicon) => string;
}

/** Facts that users may state about themselves. */
export const topics: readonly Topic[] = [
  {
    tell: [
      "My name is {x}.",
      "I am {x}.",
      "I'm {x}.",
      "Hi, I am {x}.",
      "Hello, my name is {x}.",
      "Call me {x}.",
      "You can call me {x}.",
      "People call me {x}.",
      "Hi! I'm {x}, nice to meet you.",
    ],
    note: "Nice to meet you, {x}!",
    ask: [
      "What is my name?",
      "Who am I?",
      "Do you know my name?",
      "Do you remember my name?",
      "What am I called?",
      "Say my name.",
      "What was my name again?",
      "Tell me my name.",
    ],
    answer: "Your name is {x}.",
    system: "The user's name is {x}.",
    unknown: "I do not know your name. You have not told me.",
    value: (random, words) => words.name(random),
  },
  {
    tell: [
      "My favourite colour is {x}.",
      "I like the colour {x} best.",
      "My favorite color is {x}.",
      "The colour I love most is {x}.",
    ],
    note: "I will remember that you like {x}.",
    ask: [
      "What is my favourite colour?",
      "Which colour do I like?",
      "What's my favorite color?",
      "Do you remember my favourite colour?",
    ],
    answer: "Your favourite colour is {x}.",
    system: "The user's favourite colour is {x}.",
    unknown: "I do not know your favourite colour. You have not told me.",
    value: (random, words) => (random.chance(0.6) ? random.pick(colours) : words.invented(random)),
  },
  {
    tell: [
      "I live in {x}.",
      "I am from {x}.",
      "My home is in {x}.",
      "My home town is {x}.",
      "I come from {x}.",
    ],
    note: "{x} sounds like a nice place.",
    ask: [
      "Where do I live?",
      "Where am I from?",
      "What is my home town?",
      "Do you know where I live?",
      "Which town do I live in?",
    ],
    answer: "You live in {x}.",
    system: "The user lives in {x}.",
    unknown: "I do not know where you live. You have not told me.",
    value: (random, words) => words.place(random),
  },
  {
    tell: [
      "My dog is called {x}.",
      "I have a dog named {x}.",
      "My dog's name is {x}.",
      "This is my dog {x}.",
    ],
    note: "{x} is a nice name for a dog.",
    ask: [
      "What is my dog called?",
      "What is the name of my dog?",
      "What's my dog's name?",
      "Who is my dog?",
    ],
    answer: "Your dog is called {x}.",
    system: "The user has a dog called {x}.",
    unknown: "I do not know your dog's name. You have not told me.",
    value: (random, words) => words.name(random),
  },
  {
    tell: [
      "My cat is called {x}.",
      "I have a cat named {x}.",
      "My cat's name is {x}.",
      "I got a cat, she is called {x}.",
    ],
    note: "{x} is a nice name for a cat.",
    ask: ["What is my cat called?", "What is the name of my cat?", "What's my cat's name?"],
    answer: "Your cat is called {x}.",
    system: "The user has a cat called {x}.",
    unknown: "I do not know your cat's name. You have not told me.",
    value: (random, words) => words.name(random),
  },
  {
    tell: [
      "I like to eat {x}.",
      "My favourite food is {x}.",
      "I love {x}.",
      "The food I like best is {x}.",
    ],
    note: "I will remember that you like {x}.",
    ask: [
      "What is my favourite food?",
      "What do I like to eat?",
      "Which food do I like?",
      "What food do I love?",
    ],
    answer: "You like to eat {x}.",
    system: "The user's favourite food is {x}.",
    unknown: "I do not know your favourite food. You have not told me.",
    value: (random, words) => words.food(random),
  },
  {
    tell: [
      "The secret word is {x}.",
      "The code word is {x}.",
      "Remember the word {x}.",
      "The password is {x}.",
      "Keep this word in mind: {x}",
      "Please remember this: {x}",
    ],
    note: "I will remember {x}.",
    ask: [
      "What is the secret word?",
      "What is the code word?",
      "Which word did I tell you to remember?",
      "What was the word?",
      "What is the password?",
      "Tell me the secret word.",
    ],
    answer: "The word is {x}.",
    system: "The secret word is {x}.",
    unknown: "I do not know the word. You have not told me.",
    value: (random, words) => words.anyWord(random),
  },
  {
    tell: [
      "My lucky number is {x}.",
      "Remember the number {x}.",
      "The number is {x}.",
      "My number is {x}.",
    ],
    note: "I will remember the number {x}.",
    ask: [
      "What is my lucky number?",
      "What was the number?",
      "Which number did I tell you?",
      "What is my number?",
    ],
    answer: "The number is {x}.",
    system: "The user's lucky number is {x}.",
    unknown: "I do not know the number. You have not told me.",
    value: (random) => String(random.int(0, random.pick([9, 99, 999, 9999]))),
  },
  {
    tell: ["I am {x} years old.", "My age is {x}.", "I'm {x} years old.", "I turned {x} today."],
    note: "{x} is a good age.",
    ask: ["How old am I?", "What is my age?", "Do you know how old I am?", "What was my age?"],
    answer: "You are {x} years old.",
    system: "The user is {x} years old.",
    unknown: "I do not know how old you are. You have not told me.",
    value: (random) => String(random.int(4, 99)),
  },
  {
    tell: [
      "My friend is called {x}.",
      "My best friend is {x}.",
      "I have a friend named {x}.",
      "My friend's name is {x}.",
    ],
    note: "It is good to have a friend like {x}.",
    ask: [
      "What is my friend called?",
      "Who is my best friend?",
      "What's my friend's name?",
      "Who is my friend?",
    ],
    answer: "Your friend is called {x}.",
    system: "The user's best friend is called {x}.",
    unknown: "I do not know your friend's name. You have not told me.",
    value: (random, words) => words.name(random),
  },
  {
    tell: [
      "I work as {x}.",
      "I have worked as {x} for years.",
      "I am {x} by trade.",
      "I earn my money as {x}.",
    ],
    note: "Being {x} must be interesting.",
    ask: [
      "What is my job?",
      "What do I do for a living?",
      "What do I work as?",
      "Do you know my job?",
    ],
    answer: "You work as {x}.",
    system: "The user works as {x}.",
    unknown: "I do not know your job. You have not told me.",
    value: (random, words) => {
      const job = words.job(random);
      return `${article(job)} ${job}`;
    },
  },
];

const fillers = [chat, facts, arithmetic];

/** Messages on other topics, between a fact and the question about it. */
export function otherTopics(random: Random, words: Lexicon, most: number): Message[] {
  const count = random.int(0, most);
  return Array.from({ length: count }, () => random.pick(fillers)(random, words).messages).flat();
}

/** Facts stated earlier or in the system prompt, and requested later. */
export const memory: Skill = (random, words) => {
  const told = random
    .sample(
      topics,
      random.weighted([
        [5, 1],
        [3, 2],
        [2, 3],
      ]),
    )
    .map((topic) => {
      const value = topic.value(random, words);
      return { topic, slots: { x: value }, value };
    });
  const fromSystem = random.chance(0.3);
  const messages: Message[] = [];
  if (!fromSystem) {
    for (const { topic, slots } of told) {
      messages.push(user(typed(random, random.pick(topic.tell), slots)));
      messages.push(assistant(fill(topic.note, slots), "The user tells me something. I note it."));
      if (random.chance(0.4)) messages.push(...otherTopics(random, words, 1));
    }
    messages.push(...otherTopics(random, words, 1));
  }
  const asked = random.sample(told, random.chance(0.3) ? 2 : 1);
  for (const { topic, slots, value } of asked) {
    messages.push(user(typed(random, random.pick(topic.ask))));
    messages.push(assistant(fill(topic.answer, slots), `The user told me: ${value}.`));
  }
  const last = asked[asked.length - 1];
  const system = told.map(({ topic, slots }) => fill(topic.system, slots)).join(" ");
  return {
    ...(fromSystem ? { system: withPreface(random, system) } : {}),
    messages,
    expect: { kind: "contains", all: [last?.value ?? ""] },
  };
};

function withPreface(random: Random, text: string): string {
  const preface = ["", "", "You are a helpful assistant. ", "Facts about the user: ", "Remember: "];
  return random.pick(preface) + text;
}

/** Facts stated and requested in one message. */
export const toldNow: Skill = (random, words) => {
  const told = random.sample(topics, random.int(1, 3)).map((topic) => {
    const value = topic.value(random, words);
    return { topic, value, text: fill(random.pick(topic.tell), { x: value }) };
  });
  const { topic, value } = random.pick(told);
  const text = told.map((entry) => entry.text).join(" ");
  const ask = typed(random, random.pick(topic.ask));
  return {
    messages: [
      user(random.chance(0.8) ? `${text} ${ask}` : `${text}\n${ask}`),
      assistant(fill(topic.answer, { x: value }), `The user told me: ${value}.`),
    ],
    expect: { kind: "contains", all: [value] },
  };
};

const relations = [
  "brother",
  "sister",
  "mother",
  "father",
  "uncle",
  "aunt",
  "teacher",
  "neighbour",
  "boss",
  "doctor",
  "cousin",
  "son",
  "daughter",
  "wife",
  "husband",
  "friend",
  "grandmother",
  "dog",
  "cat",
];

/** Attribute by which a person is introduced, or requested. */
export type By = "name" | "role";

/** Person known to the user. */
export interface Person {
  readonly role: string;
  readonly name: string;
  /** First attribute in the user's sentence: "my uncle is Tom", "Tom is my uncle". */
  readonly first: By;
}

const introductions: Readonly<Record<By, readonly string[]>> = {
  role: ["my {role} is {name}", "my {role} is called {name}"],
  name: ["{name} is my {role}"],
};

/** People with different roles, and the sentences that introduce them. */
export function drawPeople(
  random: Random,
  words: Lexicon,
  count: number,
): { readonly pairs: readonly Person[]; readonly told: string } {
  const roles = random.sample(relations, count);
  const pairs = roles.map(
    (role): Person => ({
      role,
      name: words.name(random),
      first: random.chance(0.4) ? "name" : "role",
    }),
  );
  const sentences = pairs.map(({ role, name, first }) =>
    fill(random.pick(introductions[first]), { role, name }),
  );
  const between = random.pick([" and ", ", ", ". "]);
  const text = sentences.map((one) => (between === ". " ? capital(one) : one)).join(between);
  return { pairs, told: `${capital(text)}.` };
}

/** A question for one of the people, by the given attribute, and its answer. */
export function askedPeople(
  random: Random,
  { name, role }: Person,
  by: By,
): { readonly ask: string; readonly answer: string } {
  const slots = { name, role };
  const ask =
    by === "name"
      ? fill(random.pick(["Who is {name}?", "And who is {name}?"]), slots)
      : typed(
          random,
          random.pick([
            "Who is my {role}?",
            "What is my {role} called?",
            "What is the name of my {role}?",
          ]),
          slots,
        );
  const answer = by === "name" ? "{name} is your {role}." : "Your {role} is {name}.";
  return { ask, answer: fill(answer, slots) };
}

/** Several people with different roles; one is requested, mostly by the attribute stated first. */
export const people: Skill = (random, words) => {
  const { pairs, told } = drawPeople(random, words, random.int(2, 3));
  const wanted = random.pick(pairs);
  const other = wanted.first === "name" ? "role" : "name";
  const by = random.chance(0.85) ? wanted.first : other;
  const { ask, answer } = askedPeople(random, wanted, by);
  return {
    messages: random.chance(0.6)
      ? [
          user(told),
          assistant("I will remember that.", "The user tells me who is who."),
          user(ask),
          assistant(answer, `I look at what the user said.`),
        ]
      : [user(`${told} ${ask}`), assistant(answer, `I look at what the user said.`)],
    expect: { kind: "contains", all: [by === "name" ? wanted.role : wanted.name] },
  };
};

/** A fact that was never stated, which the answer says. */
export const notTold: Skill = (random, words): Conversation => {
  const [topic, other] = random.sample(topics, 2);
  if (topic === undefined || other === undefined) throw new RangeError("two topics needed");
  const slots = { x: other.value(random, words) };
  const before = random.chance(0.5)
    ? [
        user(typed(random, random.pick(other.tell), slots)),
        assistant(fill(other.note, slots), "The user tells me something. I note it."),
      ]
    : otherTopics(random, words, 1);
  return {
    messages: [
      ...before,
      user(typed(random, random.pick(topic.ask))),
      assistant(topic.unknown, "The user has not told me that."),
    ],
    expect: { kind: "contains", all: ["do not know"] },
  };
};
