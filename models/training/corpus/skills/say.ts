import type { Random } from "../../../random/random-choices.js";
import type { Skill } from "../conversation.js";
import { assistant, fill, user } from "../phrasing.js";
import type { Lexicon } from "../words/lexicon.js";
import { intents } from "./chat.js";
import { drawFact } from "./facts.js";

const asks = [
  "Say {x}",
  "Say: {x}",
  'Say "{x}"',
  'Can you say "{x}"?',
  "Repeat after me: {x}",
  "Repeat: {x}",
  'Write "{x}".',
  "Echo: {x}",
  'Please say "{x}" to me.',
];

function sentence(random: Random, words: Lexicon): string {
  const fact = drawFact(random, words);
  const from = random.int(0, 9);
  const candidates = [
    fact.answer,
    fact.ask,
    random.pick(random.pick(intents).says),
    random.pick(random.pick(intents).answers),
    Array.from({ length: random.int(2, 7) }, (_, i) => from + i).join(" "),
  ];
  return random.pick(candidates.filter((text) => /[a-z\d]/i.test(text)));
}

/**
 * Repeats texts that it would otherwise react to: questions, greetings, its own answers; training
 * only.
 */
export const say: Skill = (random, words) => {
  const text = sentence(random, words);
  return {
    messages: [
      user(fill(random.pick(asks), { x: text })),
      assistant(text, "The user wants me to repeat the words."),
    ],
    expect: { kind: "equals", text },
  };
};
