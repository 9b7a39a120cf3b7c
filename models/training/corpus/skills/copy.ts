import type { Random } from "../../../random/random-choices.js";
import type { Skill } from "../conversation.js";
import { assistant, fill, typed, user } from "../phrasing.js";
import { capital, type Lexicon } from "../words/lexicon.js";

const once = [
  "Repeat after me: {x}",
  "Say {x}",
  "Repeat: {x}",
  "Please repeat {x}",
  "Echo {x}",
  "Say: {x}",
  "Write exactly this: {x}",
  "Repeat the following words: {x}",
  "Copy this text: {x}",
  "Say the following: {x}",
  'Can you say "{x}"?',
  'Please write "{x}".',
  'Repeat "{x}"',
  "Type this back to me: {x}",
  'Say "{x}" and nothing else.',
  'Answer with "{x}".',
  "Repeat this sentence: {x}",
  "I want you to say {x}",
  "Reply with {x}",
  "Respond only with: {x}",
  "Please copy: {x}",
  "Output the text {x}",
  "Print {x}",
  "Tell me this: {x}",
  "Just say {x}",
  "Now you say {x}",
  "Let me hear you say {x}",
  "Write {x}",
  "Repeat word for word: {x}",
];
const times = [
  "Say {x} {n} times.",
  "Repeat the word {x} {n} times.",
  "Write {x} {n} times.",
  'Say "{x}" {n} times.',
  "Please say the word {x} {n} times.",
  "{n} times {x}, please.",
];
const counts = [
  ["2", 2],
  ["two", 2],
  ["3", 3],
  ["three", 3],
  ["4", 4],
  ["four", 4],
] as const;

/** Words to copy: any words, sometimes with capitals, digits or punctuation. */
export function passage(random: Random, words: Lexicon): string {
  const count = random.weighted([
    [4, 1],
    [4, 2],
    [3, 3],
    [2, 4],
    [1, 5],
    [0.4, 6],
  ]);
  const parts = words.someWords(random, count).map((word) => {
    if (random.chance(0.2)) return capital(word);
    if (random.chance(0.04)) return String(random.int(0, 9999));
    return word;
  });
  const joined = parts.join(random.chance(0.12) ? ", " : random.chance(0.05) ? "-" : " ");
  if (random.chance(0.2)) return `${capital(joined)}${random.pick([".", "!", "?"])}`;
  return joined;
}

/** One word, a few times. */
export const copyTimes: Skill = (random, words) => {
  const [spoken, n] = random.pick(counts);
  const x = words.anyWord(random);
  const text = Array.from({ length: n }, () => x).join(" ");
  return {
    messages: [
      user(typed(random, random.pick(times), { x, n: spoken })),
      assistant(text, `The user wants the word ${x} ${spoken} times.`),
    ],
    expect: { kind: "equals", text },
  };
};

const inUpperCase = [
  "Say {x} in upper case.",
  "Write {x} in capital letters.",
  "Say {x} in capitals",
  "Write {x} in upper case",
  'Say "{x}" in upper case.',
  "{x} in upper case, please",
  "Shout {x}",
];

/** Words to say in upper case. */
export const copyInUpperCase: Skill = (random, words) => {
  const x = passage(random, words).replace(/[.!?]$/, "");
  const text = x.toUpperCase();
  return {
    messages: [
      user(typed(random, random.pick(inUpperCase), { x })),
      assistant(text, "The user wants the words in upper case."),
    ],
    expect: { kind: "equals", text },
  };
};

/** "Repeat after me", with words the model has not seen. */
export const copy: Skill = (random, words) => {
  if (random.chance(0.12)) return copyTimes(random, words);
  const template = random.pick(once);
  let text = passage(random, words);
  if (!template.endsWith("{x}")) text = text.replace(/[.!?]$/, "");
  const ask = random.chance(0.5)
    ? fill(template, { x: text })
    : typed(random, template, { x: text });
  return {
    messages: [user(ask), assistant(text, "The user wants me to repeat the words.")],
    expect: { kind: "equals", text },
  };
};

const begun = ["Say {x}", "Repeat: {x}", "Repeat after me: {x}"];
const begunAsFirst = ["First say {x}", "First: {x}", "First, {x}", "First write {x}"];

/** Two texts to repeat in turn, then the first or the last once more. */
export const copyAgain: Skill = (random, words) => {
  const first = passage(random, words);
  const second = passage(random, words);
  const [ask, text] = random.pick([
    ["What did I ask you to say first?", first],
    ["Say the first one again.", first],
    ["Say that again.", second],
    ["Repeat your last answer.", second],
    ["Once more, please.", second],
  ] as const);
  return {
    messages: [
      user(fill(random.pick(random.chance(0.75) ? begunAsFirst : begun), { x: first })),
      assistant(first, "The user wants me to repeat the words."),
      user(fill(random.pick(["Now say {x}", "Next: {x}", "And now {x}"]), { x: second })),
      assistant(second, "The user wants me to repeat the words."),
      user(typed(random, ask)),
      assistant(text, "I look back and repeat the words."),
    ],
    expect: { kind: "equals", text },
  };
};

/**
 * A few words with the same beginning, each used more than once, so that only the position
 * determines the next one.
 */
function alike(random: Random, words: Lexicon): string[] {
  const first = words.anyWord(random);
  const second = first.slice(0, 2) + words.invented(random);
  const few = [first, capital(first), second, words.anyWord(random)];
  return Array.from({ length: random.int(3, 7) }, () => random.pick(few));
}

/** Repeated words without language, which train looking back only. */
export const copyRaw: Skill = (random, words) => {
  const parts = random.chance(0.5)
    ? alike(random, words)
    : Array.from({ length: random.int(2, 5) }, () =>
        random.chance(0.5) ? words.scramble(random) : words.invented(random),
      );
  const text = parts.join(random.pick([" ", " ", ", "]));
  return {
    messages: [
      user(fill(random.pick(["Repeat: {x}", "Say {x}", "Copy: {x}"]), { x: text })),
      assistant(text, "The user wants me to repeat the words."),
    ],
    expect: { kind: "equals", text },
  };
};
