import type { Skill } from "../conversation.js";
import { assistant, typed, user } from "../phrasing.js";
import { numberWords } from "../words/facts.js";

const additions = [
  "What is {a} + {b}?",
  "{a} + {b}",
  "{a}+{b}",
  "{a} + {b} = ?",
  "{a}+{b}=",
  "Add {a} and {b}.",
  "What is {a} plus {b}?",
  "How much is {a} plus {b}?",
  "Calculate {a} + {b}.",
  "{a} plus {b}?",
  "What is the sum of {a} and {b}?",
  "Compute {a} + {b}",
  "What do you get if you add {a} and {b}?",
  "How much is {a} + {b}?",
  "Tell me {a} + {b}.",
  "I have {a} apples and get {b} more. How many do I have?",
  "Can you add {a} and {b}?",
  "Solve {a} + {b}.",
  "what's {a} + {b}",
];
const subtractions = [
  "What is {a} - {b}?",
  "{a} - {b}",
  "{a}-{b}",
  "{a} - {b} = ?",
  "{a}-{b}=",
  "Subtract {b} from {a}.",
  "What is {a} minus {b}?",
  "How much is {a} minus {b}?",
  "Calculate {a} - {b}.",
  "{a} minus {b}?",
  "What is the difference of {a} and {b}?",
  "Take {b} away from {a}.",
  "How much is {a} - {b}?",
  "Tell me {a} - {b}.",
  "I have {a} apples and eat {b}. How many are left?",
  "Compute {a} - {b}",
  "Solve {a} - {b}.",
  "what's {a} - {b}",
];

const inWords = {
  "+": ["What is {a} plus {b}?", "{a} plus {b}", "How much is {a} and {b}?", "Add {a} and {b}."],
  "-": ["What is {a} minus {b}?", "{a} minus {b}", "Subtract {b} from {a}."],
} as const;

type Sign = "+" | "-";

/** Whether the sum has a single column, with or without a borrow, and is memorised. */
function isOneColumn(a: number, sign: Sign, b: number): boolean {
  return b < 10 && (a < 10 || (sign === "-" && a < 19 && a % 10 < b));
}

/** Works the sum column by column, as taught at school. */
function worked(a: number, sign: Sign, b: number, result: number): string {
  const whole = `${a} ${sign} ${b} = ${result}`;
  if (isOneColumn(a, sign, b)) return whole;
  const [a1, a0, b1, b0] = [Math.floor(a / 10), a % 10, Math.floor(b / 10), b % 10];
  const over = sign === "+" ? a0 + b0 > 9 : a0 < b0;
  const ones = sign === "-" && over ? a0 + 10 : a0;
  const first = `${ones} ${sign} ${b0} = ${sign === "+" ? ones + b0 : ones - b0}`;
  const tens = `${a1} ${sign} ${b1}${over ? ` ${sign} 1` : ""} = ${Math.floor(result / 10)}`;
  return `${first}, ${tens}, so ${whole}`;
}

/**
 * Sums and differences between 0 and 99. A tenth of the pairs worked in columns is held out; the
 * single-column tables are all taught.
 */
export const arithmetic: Skill = (random, words) => {
  const sign: Sign = random.chance(0.5) ? "+" : "-";
  for (;;) {
    const high = random.int(0, random.chance(0.5) ? 18 : 99);
    const low = random.int(0, high);
    const [a, b, result] = sign === "+" ? [low, high - low, high] : [high, low, high - low];
    const owned = isOneColumn(a, sign, b) ? words.split === "train" : words.owns(`${a}${sign}${b}`);
    if (!owned) continue;
    const [aWord, bWord] = [numberWords[a], numberWords[b]];
    const spelt = aWord !== undefined && bWord !== undefined && random.chance(0.1);
    const digits = sign === "+" ? additions : subtractions;
    const ask = spelt
      ? typed(random, random.pick(inWords[sign]), { a: aWord, b: bWord })
      : typed(random, random.pick(digits), { a, b });
    return {
      messages: [user(ask), assistant(worked(a, sign, b, result), "I calculate column by column.")],
      expect: { kind: "contains", all: [`${a} ${sign} ${b} = ${result}`] },
    };
  }
};
