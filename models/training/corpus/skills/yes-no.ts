import type { Random } from "../../../random/random-choices.js";
import type { Skill } from "../conversation.js";
import { assistant, fill, typed, user } from "../phrasing.js";
import { colours } from "../words/common.js";
import {
  abilities,
  askedOpposites,
  capitals,
  categories,
  colourOf,
  opposites,
  qualities,
} from "../words/facts.js";
import { article, capital } from "../words/lexicon.js";

interface Claim {
  readonly ask: string;
  readonly slots: Record<string, string | number>;
  readonly yes: boolean;
  readonly because: string;
  /** Key by which the claim is held out or taught; defaults to the slots. */
  readonly key?: string;
}

type Maker = (random: Random, holds: boolean) => Claim;

const capitalClaim: Maker = (random, holds) => {
  const [country, city] = random.pick(capitals);
  const [, other] = random.pick(capitals.filter(([name]) => name !== country));
  const ask = random.pick([
    "Is {x} the capital of {c}?",
    "Is it true that {x} is the capital of {c}?",
    "{x} is the capital of {c}, right?",
  ]);
  const because = `the capital of ${country} is ${city}`;
  return { ask, slots: { x: holds ? city : other, c: country }, yes: holds, because };
};

const colourClaim: Maker = (random, holds) => {
  const [thing, shade] = random.pick(colourOf);
  const other = random.pick(colours.filter((name) => name !== shade));
  const ask = random.pick([
    "Is {t} {x}?",
    "Is it true that {t} is {x}?",
    "Is the colour of {t} {x}?",
  ]);
  const slots = { t: thing, x: holds ? shade : other };
  return { ask, slots, yes: holds, because: `${thing} is ${shade}` };
};

const oppositeClaim: Maker = (random, holds) => {
  const [word, opposite] = random.pick(opposites);
  const [, other] = random.pick(opposites.filter(([name]) => name !== word));
  const ask = random.pick(["Is {x} the opposite of {w}?", "Is {x} the contrary of {w}?"]);
  const slots = { x: holds ? opposite : other, w: word };
  return { ask, slots, yes: holds, because: `the opposite of ${word} is ${opposite}` };
};

const oppositeOf = new Map(askedOpposites);

// Properties and abilities are taught here only, so that only some questions are held out.
const qualityClaim: Maker = (random, holds) => {
  const [thing, quality] = random.pick(qualities);
  const ask = random.pick(["Is {t} {x}?", "Is it true that {t} is {x}?", "{t} is {x}, right?"]);
  const slots = { t: thing, x: holds ? quality : (oppositeOf.get(quality) ?? "") };
  const key = fill(ask, slots);
  return { ask, slots, yes: holds, because: `${thing} is ${quality}`, key };
};

const abilityClaim: Maker = (random, holds) => {
  const [who, can, cannot] = random.pick(abilities);
  const ask = random.pick(["Can {w} {x}?", "Do {w} {x}?", "Is it true that {w} can {x}?"]);
  const explanation = holds ? `${who} can ${can}` : `${who} cannot ${cannot}`;
  const slots = { w: who, x: holds ? can : cannot };
  return { ask, slots, yes: holds, because: explanation, key: fill(ask, slots) };
};

const numberClaim: Maker = (random) => {
  const [a, b] = [random.int(0, 99), random.int(0, 99)];
  const bigger = random.chance(0.5);
  const word = random.pick(bigger ? ["greater", "bigger", "larger", "more"] : ["less", "smaller"]);
  const relation = a === b ? "equal to" : `${a > b ? "greater" : "less"} than`;
  return {
    ask: `Is {a} ${word} than {b}?`,
    slots: { a, b },
    yes: bigger ? a > b : a < b,
    because: `${a} is ${relation} ${b}`,
  };
};

const kinds = [
  "animals",
  "fruits",
  "vegetables",
  "birds",
  "drinks",
  "tools",
  "flowers",
  "countries",
  "instruments",
  "vehicles",
  "colours",
] as const;
const bare: readonly string[] = ["countries", "colours", "drinks"];

/** A bird is an animal, and an orange both a fruit and a colour. */
const overlapping: readonly (readonly string[])[] = [
  ["animals", "birds"],
  ["fruits", "colours"],
];
const overlap = (one: string, other: string): boolean =>
  overlapping.some((pair) => pair.includes(one) && pair.includes(other));

function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

const kindClaim: Maker = (random, holds) => {
  const right = random.pick(kinds);
  const wrong = random.pick(kinds.filter((kind) => kind !== right && !overlap(kind, right)));
  const item = random.pick(categories[right] ?? []);
  const noun = (name: string): string =>
    name === "countries" ? "country" : name.replace(/s$/, "");
  const subject = bare.includes(right) ? item : `${article(item)} ${item}`;
  const because = `${subject} is ${article(noun(right))} ${noun(right)}`;
  const asked = holds ? right : wrong;
  if (!bare.includes(right) && random.chance(0.3))
    return { ask: "Are {s} {k}?", slots: { s: plural(item), k: asked }, yes: holds, because };
  const slots = { s: subject, a: article(noun(asked)), k: noun(asked) };
  return { ask: "Is {s} {a} {k}?", slots, yes: holds, because };
};

const makers = [
  capitalClaim,
  colourClaim,
  oppositeClaim,
  qualityClaim,
  abilityClaim,
  numberClaim,
  kindClaim,
];

/** Questions answered with a reason and yes or no. */
export const yesNo: Skill = (random, words) => {
  for (;;) {
    const { ask, slots, yes, because, key } = random.pick(makers)(random, random.chance(0.5));
    if (!words.owns(key ?? JSON.stringify(slots))) continue;
    // The reason comes first: a small model can derive the answer from it, but not anticipate it.
    const content = `${capital(because)}, so ${yes ? "yes" : "no"}.`;
    return {
      messages: [user(typed(random, ask, slots)), assistant(content, `${capital(because)}.`)],
      expect: { kind: "contains", all: [yes ? "so yes" : "so no"] },
    };
  }
};
