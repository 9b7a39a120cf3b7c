import type { Skill } from "../conversation.js";
import { assistant, typed, user } from "../phrasing.js";
import { categories, numberWords } from "../words/facts.js";

const asks = [
  "List {n} {c}.",
  "Name {n} {c}.",
  "Give me {n} {c}.",
  "Tell me {n} {c}.",
  "Write a list of {n} {c}.",
  "Make a list of {n} {c}.",
  "I need {n} {c}.",
  "Can you name {n} {c}?",
  "Please list {n} {c}.",
  "A list of {n} {c}, please.",
  "Show me {n} {c}.",
  "What are {n} {c}?",
];

/** Lists of N members of a known category; some pairs of category and N are held out. */
export const lists: Skill = (random, words) => {
  for (;;) {
    const category = random.pick(Object.keys(categories));
    const count = random.int(2, 7);
    if (!words.owns(`${category} ${count}`)) continue;
    // Some members are left out; otherwise each item would predict the next one, whatever the
    // requested number.
    const all = categories[category] ?? [];
    const chosen = new Set(random.sample(all, count));
    const items = all.filter((item) => chosen.has(item));
    const bullets = random.chance(0.25);
    const n = random.chance(0.4) ? (numberWords[count] ?? "") : String(count);
    const ask = typed(random, random.pick(asks), { n, c: category });
    const suffix = bullets
      ? random.pick([" Use bullet points.", " as bullet points", " with dashes"])
      : "";
    const text = items.map((item, i) => (bullets ? `- ${item}` : `${i + 1}. ${item}`)).join("\n");
    return {
      messages: [user(ask + suffix), assistant(text, `I need ${count} ${category}.`)],
      expect: { kind: "items", count },
    };
  }
};
