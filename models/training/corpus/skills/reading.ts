import type { Random } from "../../../random/random-choices.js";
import type { Skill } from "../conversation.js";
import { answeredLast, assistant, fill, typed, user } from "../phrasing.js";
import { colours } from "../words/common.js";
import { days } from "../words/facts.js";
import { capital, type Lexicon } from "../words/lexicon.js";

interface Line {
  readonly text: string;
  readonly asks: readonly string[];
  readonly answer: string;
  readonly value: (random: Random, words: Lexicon) => string;
}

const aboutPeople: readonly Line[] = [
  {
    text: "{n} lives in {v}.",
    asks: ["Where does {n} live?", "In which town does {n} live?"],
    answer: "{n} lives in {v}.",
    value: (r, w) => w.place(r),
  },
  {
    text: "{n} was born in {v}.",
    asks: ["Where was {n} born?"],
    answer: "{n} was born in {v}.",
    value: (r, w) => w.place(r),
  },
  {
    text: "{n} works as a {v}.",
    asks: ["What is the job of {n}?", "What does {n} do for a living?", "What does {n} work as?"],
    answer: "{n} works as a {v}.",
    value: (r, w) => w.job(r),
  },
  {
    text: "{n} has a dog called {v}.",
    asks: ["What is the name of {n}'s dog?", "What is {n}'s dog called?"],
    answer: "{n}'s dog is called {v}.",
    value: (r, w) => w.name(r),
  },
  {
    text: "{n} likes {v}.",
    asks: ["What does {n} like?"],
    answer: "{n} likes {v}.",
    value: (r, w) => w.food(r),
  },
  {
    text: "{n} is {v} years old.",
    asks: ["How old is {n}?", "What is the age of {n}?"],
    answer: "{n} is {v} years old.",
    value: (r) => String(r.int(3, 99)),
  },
  {
    text: "{n} bought a {v}.",
    asks: ["What did {n} buy?"],
    answer: "{n} bought a {v}.",
    value: (r, w) => w.thing(r),
  },
  {
    text: "{n} lost a {v}.",
    asks: ["What did {n} lose?"],
    answer: "{n} lost a {v}.",
    value: (r, w) => w.thing(r),
  },
  {
    text: "{n} is married to {v}.",
    asks: ["Who is {n} married to?"],
    answer: "{n} is married to {v}.",
    value: (r, w) => w.name(r),
  },
  {
    text: "{n} travels on {v}.",
    asks: ["When does {n} travel?", "On which day does {n} travel?"],
    answer: "{n} travels on {v}.",
    value: (r) => r.pick(days),
  },
  {
    text: "{n} wears a {v} coat.",
    asks: ["Which colour is {n}'s coat?", "What colour is the coat of {n}?"],
    answer: "{n}'s coat is {v}.",
    value: (r) => r.pick(colours),
  },
  {
    text: "{n} met {v} at the station.",
    asks: ["Who did {n} meet?", "Who did {n} meet at the station?"],
    answer: "{n} met {v}.",
    value: (r, w) => w.name(r),
  },
];
const aboutThings: readonly Line[] = [
  {
    text: "The {n} opens at {v}.",
    asks: ["When does the {n} open?", "At what time does the {n} open?"],
    answer: "The {n} opens at {v}.",
    value: (r) => `${r.int(6, 12)}:${r.pick(["00", "15", "30", "45"])}`,
  },
  {
    text: "The {n} closes at {v}.",
    asks: ["When does the {n} close?", "At what time does the {n} close?"],
    answer: "The {n} closes at {v}.",
    value: (r) => `${r.int(13, 23)}:${r.pick(["00", "15", "30", "45"])}`,
  },
  {
    text: "The {n} is on {v}.",
    asks: ["When is the {n}?", "On which day is the {n}?"],
    answer: "The {n} is on {v}.",
    value: (r) => r.pick(days),
  },
  {
    text: "The {n} costs {v} euros.",
    asks: ["How much is the {n}?", "What does the {n} cost?", "What is the price of the {n}?"],
    answer: "The {n} costs {v} euros.",
    value: (r) => String(r.int(1, 999)),
  },
  {
    text: "The {n} is {v}.",
    asks: ["How is the {n}?", "What is the {n} like?"],
    answer: "The {n} is {v}.",
    value: (r, w) => w.adjective(r),
  },
  {
    text: "The {n} stands in {v}.",
    asks: ["Where does the {n} stand?", "Where is the {n}?"],
    answer: "The {n} stands in {v}.",
    value: (r, w) => w.place(r),
  },
  {
    text: "The {n} belongs to {v}.",
    asks: ["Who owns the {n}?", "Whose {n} is it?", "To whom does the {n} belong?"],
    answer: "The {n} belongs to {v}.",
    value: (r, w) => w.name(r),
  },
  {
    text: "The {n} was built in {v}.",
    asks: ["When was the {n} built?"],
    answer: "The {n} was built in {v}.",
    value: (r) => String(r.int(1200, 2020)),
  },
  {
    text: "Inside the {n} there is a {v}.",
    asks: ["What is inside the {n}?"],
    answer: "Inside the {n} there is a {v}.",
    value: (r, w) => w.thing(r),
  },
];
const frames = [
  "{t}\n\n{q}",
  "{t} {q}",
  "Text: {t}\nQuestion: {q}",
  "Read this: {t}\n{q}",
  "{q}\n\n{t}",
  "Answer from the text. {t} {q}",
  'Here is a text: "{t}" {q}',
  "{t}\nQ: {q}",
];

const pronouns = [
  ["he", "his"],
  ["she", "her"],
] as const;

type Pronouns = (typeof pronouns)[number];

/** Questions about a person mentioned before: "How old is she?" */
function askedOfThem(line: Line, [subject, possessive]: Pronouns): string[] {
  return line.asks
    .filter((ask) => !ask.includes("of {n}"))
    .map((ask) => ask.replace("{n}'s", possessive).replace("{n}", subject));
}

/** A few lines about one person, followed by questions by name or by pronoun; training only. */
export const readingOn: Skill = (random, words) => {
  const n = words.name(random);
  const lines = random
    .sample(aboutPeople, random.int(2, 3))
    .map((line) => ({ line, slots: { n, v: line.value(random, words) } }));
  const person = random.pick(pronouns);
  const told = lines.map(({ line, slots }, at) =>
    fill(
      at > 0 && random.chance(0.4) ? line.text.replace("{n}", capital(person[0])) : line.text,
      slots,
    ),
  );
  const rounds = random.sample(lines, lines.length).map(({ line, slots }, at) => {
    const asks = at > 0 && random.chance(0.6) ? askedOfThem(line, person) : line.asks;
    const reason = `The text says: ${fill(line.text, slots)}`;
    return {
      ask: typed(random, random.pick(asks.length > 0 ? asks : line.asks), slots),
      answer: assistant(capital(fill(line.answer, slots)), reason),
    };
  });
  const [first, ...more] = rounds;
  if (first === undefined) throw new RangeError("two lines at least");
  const text = told.join(" ");
  const opening = random.chance(0.4)
    ? [
        user(text),
        assistant("I will remember that.", "The user tells me something."),
        user(first.ask),
      ]
    : [user(`${text} ${first.ask}`)];
  return answeredLast([
    ...opening,
    first.answer,
    ...more.flatMap(({ ask, answer }) => [user(ask), answer]),
  ]);
};

/** A short paragraph with a question about it, which the text sometimes does not answer. */
export const reading: Skill = (random, words) => {
  const lines = Array.from({ length: random.int(2, 4) }, () => {
    const person = random.chance(0.65);
    const line = random.pick(person ? aboutPeople : aboutThings);
    const n = person ? words.name(random) : words.thing(random);
    return { line, slots: { n, v: line.value(random, words) } };
  });
  if (random.chance(0.4)) {
    const first = lines[0];
    for (const entry of lines) {
      if (first && aboutPeople.includes(first.line) && aboutPeople.includes(entry.line)) {
        entry.slots.n = first.slots.n;
      }
    }
  }
  const seen = new Set<string>();
  const unique = lines.filter(({ line, slots }) => {
    const key = `${line.text} ${slots.n}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  const t = unique.map(({ line, slots }) => fill(line.text, slots)).join(" ");
  const wanted = random.pick(unique);
  const missing = random.chance(0.12);
  const pool = aboutPeople.includes(wanted.line) ? aboutPeople : aboutThings;
  const absent = random.pick(pool.filter((line) => !unique.some((entry) => entry.line === line)));
  const asked = missing ? absent : wanted.line;
  const ask = typed(random, random.pick(asked.asks), wanted.slots);
  const answer = missing ? "The text does not say." : fill(asked.answer, wanted.slots);
  const reason = missing
    ? "The text does not hold the answer."
    : `The text says: ${fill(wanted.line.text, wanted.slots)}`;
  const whole = fill(random.pick(frames), { t, q: ask });
  const atSystem = random.chance(0.1);
  return {
    ...(atSystem ? { system: `${random.pick(["Context: ", "Use this text: ", ""])}${t}` } : {}),
    messages: [user(atSystem ? ask : whole), assistant(capital(answer), reason)],
    expect: { kind: "contains", all: [missing ? "does not say" : wanted.slots.v] },
  };
};
