import type { Random } from "../../../random/random-choices.js";
import type { Message, Skill } from "../conversation.js";
import { answeredLast, assistant, typed, user } from "../phrasing.js";
import {
  askedOpposites,
  capitals,
  categories,
  colourOf,
  common,
  days,
  months,
  numberWords,
  ordinals,
  otherCapitals,
  sounds,
  young,
} from "../words/facts.js";
import { article, capital, type Lexicon } from "../words/lexicon.js";

/** A question with its answer and the part of the answer that matters. */
export interface Fact {
  readonly ask: string;
  readonly answer: string;
  readonly short: string;
}

type Maker = (random: Random) => Fact;

const any = (
  random: Random,
  templates: readonly string[],
  slots: Record<string, string | number>,
): string => typed(random, random.pick(templates), slots);

const askedCapitals = [...capitals, ...otherCapitals];

const capitalOf: Maker = (random) => {
  const [country, city] = random.pick(askedCapitals);
  const ask = any(
    random,
    [
      "What is the capital of {c}?",
      "What's the capital of {c}?",
      "Capital of {c}?",
      "Which city is the capital of {c}?",
      "Tell me the capital of {c}.",
      "Name the capital of {c}.",
      "Do you know the capital of {c}?",
      "What is the capital city of {c}?",
      "the capital of {c}",
      "{c}: what is its capital?",
      "I want to know the capital of {c}.",
      "{c}'s capital?",
    ],
    { c: country },
  );
  return { ask, answer: `The capital of ${country} is ${city}.`, short: city };
};

const countryOf: Maker = (random) => {
  const [country, city] = random.pick(capitals);
  const ask = any(
    random,
    [
      "{c} is the capital of which country?",
      "Which country has the capital {c}?",
      "What country is {c} the capital of?",
      "Of which country is {c} the capital?",
      "In which country is {c}?",
      "Where is {c}?",
    ],
    { c: city },
  );
  return { ask, answer: `${city} is the capital of ${country}.`, short: country };
};

const colour: Maker = (random) => {
  const [thing, shade] = random.pick(colourOf);
  const ask = any(
    random,
    [
      "What colour is {t}?",
      "What color is {t}?",
      "Which colour is {t}?",
      "What is the colour of {t}?",
      "Tell me the colour of {t}.",
      "What colour does {t} have?",
      "Colour of {t}?",
      "Do you know what colour {t} is?",
    ],
    { t: thing },
  );
  return { ask, answer: `${capital(thing)} is ${shade}.`, short: shade };
};

const opposite: Maker = (random) => {
  const [word, other] = random.pick(askedOpposites);
  const ask = any(
    random,
    [
      "What is the opposite of {w}?",
      "Opposite of {w}?",
      "What's the opposite of {w}?",
      "Tell me the opposite of {w}.",
      "Give me the opposite of {w}.",
      'The opposite of "{w}"?',
      "Which word means the opposite of {w}?",
      'What is the opposite of "{w}"?',
      "Say the opposite of {w}.",
    ],
    { w: word },
  );
  return { ask, answer: `The opposite of ${word} is ${other}.`, short: other };
};

const day: Maker = (random) => {
  const at = random.int(0, 6);
  const [name, next, previous] = [
    days[at] ?? "",
    days[(at + 1) % 7] ?? "",
    days[(at + 6) % 7] ?? "",
  ];
  if (random.chance(0.5)) {
    const ask = any(
      random,
      [
        "What day comes after {d}?",
        "Which day is after {d}?",
        "What is the day after {d}?",
        "Today is {d}. What day is tomorrow?",
        "If today is {d}, what is tomorrow?",
        "Which day follows {d}?",
        "The day after {d}?",
      ],
      { d: name },
    );
    return { ask, answer: `After ${name} comes ${next}.`, short: next };
  }
  const ask = any(
    random,
    [
      "What day comes before {d}?",
      "Which day is before {d}?",
      "What is the day before {d}?",
      "Today is {d}. What day was yesterday?",
      "If today is {d}, what was yesterday?",
      "The day before {d}?",
    ],
    { d: name },
  );
  return { ask, answer: `Before ${name} comes ${previous}.`, short: previous };
};

const month: Maker = (random) => {
  const at = random.int(0, 11);
  const [name, next, previous] = [
    months[at] ?? "",
    months[(at + 1) % 12] ?? "",
    months[(at + 11) % 12] ?? "",
  ];
  const kind = random.int(0, 3);
  if (kind === 0) {
    const ask = any(
      random,
      [
        "What month comes after {m}?",
        "Which month is after {m}?",
        "What is the month after {m}?",
        "Which month follows {m}?",
        "The month after {m}?",
      ],
      { m: name },
    );
    return { ask, answer: `After ${name} comes ${next}.`, short: next };
  }
  if (kind === 1) {
    const ask = any(
      random,
      [
        "What month comes before {m}?",
        "Which month is before {m}?",
        "What is the month before {m}?",
        "The month before {m}?",
      ],
      { m: name },
    );
    return { ask, answer: `Before ${name} comes ${previous}.`, short: previous };
  }
  const ordinal = ordinals[at] ?? "";
  const ask = any(
    random,
    [
      "What is the {o} month?",
      "Which month is the {o}?",
      "What is the {o} month of the year?",
      "Name the {o} month of the year.",
    ],
    { o: ordinal },
  );
  return { ask, answer: `The ${ordinal} month is ${name}.`, short: name };
};

const weekday: Maker = (random) => {
  const at = random.int(0, 6);
  const ordinal = ordinals[at] ?? "";
  const ask = any(
    random,
    [
      "What is the {o} day of the week?",
      "Which day is the {o} of the week?",
      "Name the {o} day of the week.",
    ],
    { o: ordinal },
  );
  return {
    ask,
    answer: `The ${ordinal} day of the week is ${days[at] ?? ""}.`,
    short: days[at] ?? "",
  };
};

const wholes = [
  {
    asks: [
      "Name the days of the week.",
      "What are the days of the week?",
      "List all days of the week.",
      "Tell me the seven days of the week.",
    ],
    items: days,
  },
  {
    asks: [
      "Name the months of the year.",
      "What are the months of the year?",
      "List all months.",
      "Tell me the twelve months.",
    ],
    items: months,
  },
  {
    asks: ["Name the planets.", "List the planets.", "What are the planets?", "List all planets."],
    items: categories.planets ?? [],
  },
];

const all: Maker = (random) => {
  const { asks, items } = random.pick(wholes);
  return {
    ask: any(random, asks, {}),
    answer: `${items.join(", ")}.`,
    short: items.join(", "),
  };
};

const count: Maker = (random) => {
  const down = random.chance(0.25);
  const from = random.chance(0.5) ? 1 : random.int(0, 30);
  const to = from + random.int(2, random.chance(0.25) ? 24 : 11);
  const [a, b] = down ? [to, from] : [from, to];
  const numbers = Array.from({ length: to - from + 1 }, (_, i) => (down ? to - i : from + i));
  const fromOne = a === 1 && random.chance(0.4);
  const toOne = b === 1 && random.chance(0.4);
  const ask = fromOne
    ? any(random, ["Count to {b}.", "Please count to {b}.", "Can you count to {b}?"], { b })
    : toOne
      ? any(random, ["Count down from {a}.", "Count backwards from {a}."], { a })
      : any(
          random,
          [
            "Count from {a} to {b}.",
            "Count {a} to {b}",
            "Please count from {a} to {b}.",
            "Give me the numbers from {a} to {b}.",
            "Write the numbers from {a} to {b}.",
            down ? "Count down from {a} to {b}." : "Count up from {a} to {b}.",
          ],
          { a, b },
        );
  return { ask, answer: numbers.join(", "), short: numbers.join(", ") };
};

const neighbour: Maker = (random) => {
  const n = random.int(1, 98);
  if (random.chance(0.6)) {
    const ask = any(
      random,
      [
        "What number comes after {n}?",
        "Which number is after {n}?",
        "What comes after {n}?",
        "What is the next number after {n}?",
        "Which number follows {n}?",
      ],
      { n },
    );
    return { ask, answer: `After ${n} comes ${n + 1}.`, short: String(n + 1) };
  }
  const ask = any(
    random,
    ["What number comes before {n}?", "Which number is before {n}?", "What comes before {n}?"],
    { n },
  );
  return { ask, answer: `Before ${n} comes ${n - 1}.`, short: String(n - 1) };
};

const numberWord: Maker = (random) => {
  const n = random.int(0, 20);
  const word = numberWords[n] ?? "";
  if (random.chance(0.5)) {
    const ask = any(
      random,
      [
        "Write {n} as a word.",
        "How do you spell the number {n}?",
        "What is {n} in words?",
        "{n} in words?",
      ],
      { n },
    );
    return { ask, answer: `${n} in words is ${word}.`, short: word };
  }
  const ask = any(
    random,
    ["Write {w} as a number.", "What is {w} in digits?", "Which number is {w}?"],
    { w: word },
  );
  return { ask, answer: `${capital(word)} in digits is ${n}.`, short: String(n) };
};

const sound: Maker = (random) => {
  const [animal, noise] = random.pick(sounds);
  const ask = any(
    random,
    [
      "What sound does {a} {x} make?",
      "What does {a} {x} say?",
      "Which noise does {a} {x} make?",
      "How does {a} {x} sound?",
    ],
    { a: article(animal), x: animal },
  );
  return { ask, answer: `${capital(article(animal))} ${animal} says ${noise}.`, short: noise };
};

const baby: Maker = (random) => {
  const [animal, name] = random.pick(young);
  const ask = any(
    random,
    [
      "What is a baby {x} called?",
      "What do you call a young {x}?",
      "What is the young of {a} {x} called?",
      "How do you call a baby {x}?",
    ],
    { a: article(animal), x: animal },
  );
  return { ask, answer: `A young ${animal} is called ${article(name)} ${name}.`, short: name };
};

const knowledge: Maker = (random) => {
  const [ask, answer] = random.pick(common);
  const words = answer.replace(/\.$/, "").split(" ");
  const number = words.find((word) => /^\d+$/.test(word));
  return { ask: typed(random, ask), answer, short: number ?? words[words.length - 1] ?? "" };
};

/** Categories of which one member is requested: the first is named. */
const singular = {
  fruits: "fruit",
  vegetables: "vegetable",
  animals: "animal",
  colours: "colour",
  countries: "country",
  cities: "city",
  birds: "bird",
  drinks: "drink",
  flowers: "flower",
  sports: "sport",
  planets: "planet",
};

const member: Maker = (random) => {
  const [category, k] = random.pick(Object.entries(singular));
  const [item = ""] = categories[category] ?? [];
  const ask = any(
    random,
    ["Name {a} {k}.", "Tell me {a} {k}.", "Give me {a} {k}.", "Can you name {a} {k}?"],
    { a: article(k), k },
  );
  return { ask, answer: `One ${k} is ${item}.`, short: item };
};

const makers = [
  [2, member],
  [14, capitalOf],
  [6, countryOf],
  [8, colour],
  [12, opposite],
  [8, day],
  [10, month],
  [4, weekday],
  [2, all],
  [9, count],
  [6, neighbour],
  [5, numberWord],
  [4, sound],
  [4, baby],
  [10, knowledge],
] as const;

const anyFact: Maker = (random) => random.weighted(makers)(random);

/** Draws a question of the closed world that belongs to the same split as `words`. */
export function drawFact(random: Random, words: Lexicon, maker = anyFact): Fact {
  for (;;) {
    const fact = maker(random);
    if (words.owns(fact.ask)) return fact;
  }
}

/** Capitals, colours, opposites, days, months, counting and common knowledge of children. */
export const facts: Skill = (random, words) => {
  const fact = drawFact(random, words);
  return {
    messages: [user(fact.ask), assistant(fact.answer, `I know this: ${fact.short}.`)],
    expect: { kind: "contains", all: [fact.short] },
  };
};

const furtherAsks = ["And of {x}?", "And {x}?", "What about {x}?", "and {x}", "And what of {x}?"];

/** A question and further ones of its kind in a word or two: "And of Greece?" */
export const furtherFacts: Skill = (random, words) => {
  const [asked, first, answer] = random.weighted<
    readonly [typeof capitals, Maker, (of: string, is: string) => string]
  >([
    [2, [askedCapitals, capitalOf, (of, is) => `The capital of ${of} is ${is}.`]],
    [2, [askedOpposites, opposite, (of, is) => `The opposite of ${of} is ${is}.`]],
    [1, [colourOf, colour, (of, is) => `${capital(of)} is ${is}.`]],
  ]);
  const fact = drawFact(random, words, first);
  const further = random
    .sample(asked, random.int(1, 3))
    .flatMap(([of, is]): Message[] => [
      user(typed(random, random.pick(furtherAsks), { x: of })),
      assistant(answer(of, is), `I know this: ${is}.`),
    ]);
  return answeredLast([
    user(fact.ask),
    assistant(fact.answer, `I know this: ${fact.short}.`),
    ...further,
  ]);
};
