import type { Skill } from "../conversation.js";
import { assistant, fill, typed, user } from "../phrasing.js";
import { capital } from "../words/lexicon.js";

const questions = [
  "Who is {n} {f}?",
  "When was {n} {f} born?",
  "What is the population of {p}?",
  "Who won the {t} cup in {y}?",
  "What happened in {p} in {y}?",
  "How old is {n} {f}?",
  "What is the phone number of {n} {f}?",
  "Who is the mayor of {p}?",
  "What is the meaning of {w}?",
  "What is a {w}?",
  'Who wrote the book "{w}"?',
  "How many people live in {p}?",
  "What will the weather be in {p} tomorrow?",
  "What time is it?",
  "What is the date today?",
  "Who invented the {t}?",
  "How does a {t} work?",
  "Why is the {t} so {a}?",
  "What does {w} mean?",
  "How far is it from {p} to {q}?",
  "What is the best {t} to buy?",
  "Translate {w} into French.",
  "Who is the president of {p}?",
  "What is the price of a {t}?",
  "When did {n} {f} die?",
  "Explain {w} to me.",
  "What is the latest news?",
  "What is the weather like?",
  "Where is my {t}?",
  "Which film won in {y}?",
  "Who painted the {t} in {p}?",
  "How tall is {n} {f}?",
  "What is the history of {p}?",
  "Can you explain how {t}s are made?",
  "What did {n} say?",
  "What rhymes with {t}?",
  "Explain {t} {w}.",
  "Why do {t}s {w}?",
  "What did I say first?",
];
const answer = "I do not know that. I am only a small model.";

const otherCountries = [
  "Mongolia",
  "Nepal",
  "Ghana",
  "Bolivia",
  "Malta",
  "Iran",
  "Iraq",
  "Jordan",
  "Laos",
  "Yemen",
  "Estonia",
  "Latvia",
  "Lithuania",
  "Serbia",
  "Ecuador",
  "Uruguay",
  "Panama",
  "Jamaica",
  "Fiji",
  "Algeria",
  "Nigeria",
  "Ethiopia",
  "Zambia",
  "Sudan",
  "Somalia",
  "Qatar",
  "Oman",
  "Bhutan",
];
const tasks = [
  "Write a program that sorts a {t}.",
  "Write Python code for a {t}.",
  "Translate this text: {w} {v}",
  "Summarise the book about the {t}.",
  "Draw a picture of a {a} {t}.",
  "Write an essay about {p}.",
  "Write a poem about a {t}.",
  "Fix the bug in my code.",
  "Solve the equation x + {y} = {z}.",
  "Write an email to my boss.",
  "Plan a trip to {p}.",
  "Give me a recipe for {v}.",
  "Play a song by {n} {f}.",
  "Open the browser.",
  "Show me a picture of {p}.",
  "Sing a song.",
  "Prove that {w} is {a}.",
  "Give me advice about my {t}.",
  "How do I repair a {t}?",
  "How can I become a {t}?",
  "Write a function in JavaScript.",
  "Write a Python function that adds two numbers.",
  "Write a Python function that counts {t}s.",
  "Write code that prints {w}.",
  "Write me an email.",
  "Write a letter to {n}.",
  "Write a haiku.",
  "Spell {t}.",
  "How do you spell {t}?",
  "Translate hello into French.",
  "Translate {t} to German.",
  "Summarize: The {t} is {a}. It was in {p}.",
  "Summarise this: {n} went to {p}.",
  "Compare {t}s and {v}.",
  "Generate an image of a {t}.",
  "Create a website.",
  "Can you code?",
  "Can you draw?",
  "Can you search the web?",
  "Can you see pictures?",
  "Fix this: {w} {v}",
  "print('{w}')",
  "SELECT * FROM {t}s;",
  '{"{w}": {y}}',
  "Write a song about {p}.",
];
const statements = [
  "I went to the {t} yesterday.",
  "I bought a {a} {t}.",
  "The {t} is very {a}.",
  "It is {a} outside.",
  "My {t} is broken.",
  "I saw {n} in {p}.",
  "I think {p} is a {a} place.",
  "We had a {a} day in {p}.",
  "{n} is coming to visit.",
  "I am reading about the {t}.",
  "I need a new {t}.",
  "I lost my {t}.",
];
const sums = [
  "What is {y} + {z}?",
  "{y} * {z}",
  "What is {z} times {x}?",
  "{y} - {z}",
  "How much is {y} times {z}?",
  "Divide {y} by {x}.",
  "{y} / {x}",
  "What is {y} plus {z}?",
  "Multiply {x} by {z}.",
  "{y}+{z}",
  "What is the square root of {y}?",
  "What is {z} divided by {x}?",
  "What is {x} times {s}?",
  "{x} * {s}",
  "How much is {s} times {s}?",
  "What is {x} x {s}?",
  "{x} / {s}",
  "What is {x} divided by {s}?",
  "Multiply {s} and {x}.",
  "What is {g} + {h}?",
  "{g} + {h}",
  "{g}+{h}",
  "What is {s} - {h}?",
  "{s} - {h}",
  "{s} minus {h}",
  "Half of {z}",
];

/** Sums beyond 99, products and quotients. */
export const tooHard: Skill = (random) => {
  const slots = {
    x: random.int(2, 20),
    y: random.int(100, 9999),
    z: random.int(10, 999),
    s: random.int(2, 12),
    g: random.int(52, 99),
    h: random.int(54, 99),
  };
  return {
    messages: [
      user(typed(random, random.pick(sums), slots)),
      assistant("I can only add and subtract up to 99.", "That is too hard for me."),
    ],
    expect: { kind: "contains", all: ["only add and subtract"] },
  };
};

/** Meaningless letters. */
export const gibberish: Skill = (random, words) => {
  const said = Array.from({ length: random.int(1, 2) }, () => words.scramble(random)).join(" ");
  return {
    messages: [
      user(typed(random, random.pick(["{s}", "{s}", "{s}?", "{s}!"]), { s: said })),
      assistant("I do not understand that.", "That makes no sense to me."),
    ],
    expect: { kind: "contains", all: ["do not understand"] },
  };
};

/** Requests beyond the model's abilities, and remarks that request nothing. */
export const beyond: Skill = (random, words) => {
  const slots = {
    n: words.name(random),
    f: words.familyName(random),
    p: words.place(random),
    t: words.thing(random),
    a: words.adjective(random),
    v: words.food(random),
    w: words.invented(random),
    y: random.int(2, 99),
    z: random.int(2, 99),
  };
  if (random.chance(0.4)) {
    return {
      messages: [
        user(typed(random, random.pick(statements), slots)),
        assistant("I see. Can I help you with something?", "The user tells me something."),
      ],
      expect: { kind: "contains", all: ["I see"] },
    };
  }
  return {
    messages: [
      user(typed(random, random.pick(tasks), slots)),
      assistant("I cannot do that. I am only a small model.", "I have not learnt to do this."),
    ],
    expect: { kind: "contains", all: ["cannot do that"] },
  };
};

/** Questions outside the model's knowledge. */
export const unknown: Skill = (random, words) => {
  const slots = {
    n: words.name(random),
    f: words.familyName(random),
    p: words.place(random),
    q: words.place(random),
    t: words.thing(random),
    w: words.invented(random),
    a: words.adjective(random),
    y: random.int(1900, 2030),
  };
  if (random.chance(0.12)) {
    const c = random.chance(0.5) ? capital(words.invented(random)) : random.pick(otherCountries);
    return {
      messages: [
        user(typed(random, random.pick(["What is the capital of {c}?", "Capital of {c}?"]), { c })),
        assistant(`I do not know the capital of ${c}.`, `I do not know a country called ${c}.`),
      ],
      expect: { kind: "contains", all: ["do not know"] },
    };
  }
  const template = random.pick(questions);
  const ask = random.chance(0.3) ? fill(template, slots) : typed(random, template, slots);
  return {
    messages: [user(ask), assistant(answer, "I do not know this, so I say so.")],
    expect: { kind: "contains", all: ["do not know"] },
  };
};
