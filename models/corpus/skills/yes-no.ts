import type { Skill } from "../conversation.js";
import { assistant, typed, user } from "../phrasing.js";
import type { Random } from "../random.js";
import { colours } from "../words/common.js";
import { capitals, categories, colourOf, opposites } from "../words/facts.js";
import { article, capital } from "../words/lexicon.js";

interface Claim {
  readonly ask: string;
  readonly slots: Record<string, string | number>;
  readonly yes: boolean;
  readonly because: string;
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
  "fruits",
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

const kindClaim: Maker = (random, holds) => {
  const [right = "fruits", wrong = "birds"] = random.sample(kinds, 2);
  const item = random.pick(categories[right] ?? []);
  const noun = (name: string): string =>
    name === "countries" ? "country" : name.replace(/s$/, "");
  const subject = bare.includes(right) ? item : `${article(item)} ${item}`;
  const asked = noun(holds ? right : wrong);
  return {
    ask: "Is {s} {a} {k}?",
    slots: { s: subject, a: article(asked), k: asked },
    yes: holds,
    because: `${subject} is ${article(noun(right))} ${noun(right)}`,
  };
};

const makers = [capitalClaim, colourClaim, oppositeClaim, numberClaim, kindClaim];

/** Questions answered by the reason and yes or no. */
export const yesNo: Skill = (random, words) => {
  for (;;) {
    const { ask, slots, yes, because } = random.pick(makers)(random, random.chance(0.5));
    if (!words.owns(JSON.stringify(slots))) continue;
    // The reason first: a small model can read the answer off it, but not foresee it.
    const content = `${capital(because)}, so ${yes ? "yes" : "no"}.`;
    return {
      messages: [user(typed(random, ask, slots)), assistant(content, `${capital(because)}.`)],
      expect: { kind: "contains", all: [yes ? "so yes" : "so no"] },
    };
  }
};
