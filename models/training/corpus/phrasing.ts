import type { Random } from "../../random/random-choices.js";
import type { Conversation, Message } from "./conversation.js";

type Slots = Readonly<Record<string, string | number>>;

const openers = [
  "please",
  "hey,",
  "ok,",
  "so,",
  "now",
  "well,",
  "hi,",
  "hello,",
  "and",
  "could you help?",
  "quick question:",
  "next:",
  "one more thing:",
  "um,",
  "alright,",
];
const closers = ["please", "thanks", "thank you", "ok?", "now", "for me", "if you can", "quickly"];

/** Misspells a word of four letters or more; shorter words stay unchanged. */
function misspell(random: Random, word: string): string {
  if (!/^[A-Za-z]{4,}$/.test(word)) return word;
  const at = random.int(1, word.length - 3);
  const [left, here, next, right] = [
    word.slice(0, at),
    word.charAt(at),
    word.charAt(at + 1),
    word.slice(at + 2),
  ];
  const kind = random.int(0, 2);
  if (kind === 0) return left + next + here + right;
  if (kind === 1) return left + next + right;
  return left + here + here + next + right;
}

function typo(random: Random, text: string): string {
  const words = text.split(" ");
  const at = random.int(0, words.length - 1);
  return words.map((word, i) => (i === at ? misspell(random, word) : word)).join(" ");
}

/** Fills the {slots} of a template and changes nothing else. */
export function fill(template: string, slots: Slots = {}): string {
  return template.replace(/\{(\w+)\}/g, (whole, key: string) => String(slots[key] ?? whole));
}

/**
 * Renders a template as typed in a hurry: openers, closers, missing capitals and full stops, typos.
 * The {slots} are filled verbatim.
 */
export function typed(random: Random, template: string, slots: Slots = {}): string {
  let text = template;
  const lastIsText = !/\}\W*$/.test(text);
  if (random.chance(0.07)) text = `${random.pick(openers)} ${text}`;
  if (random.chance(0.06) && lastIsText) {
    text = text.replace(/[.!?]*$/, (end) => ` ${random.pick(closers)}${end}`);
  }
  if (random.chance(0.08)) text = typo(random, text);
  if (random.chance(0.015)) text = typo(random, typo(random, text));
  if (random.chance(0.3)) text = text.replace(/(^|\})([^{]*)/g, (part) => part.toLowerCase());
  else if (random.next() < 0.3) text = text.charAt(0).toUpperCase() + text.slice(1);
  if (random.chance(0.25)) text = text.replace(/[.?!]$/, "");
  else if (random.chance(0.05))
    text = text.replace(/[.?!]$/, (end) => end + random.pick(["!", end]));
  return fill(text, slots);
}

/** A user's message. */
export function user(content: string): Message {
  return { role: "user", content };
}

/** An assistant's message, with the reasoning it would write when asked to think. */
export function assistant(content: string, reasoning?: string): Message {
  return { role: "assistant", content, ...(reasoning === undefined ? {} : { reasoning }) };
}

/** Joins items as "a, b and c". */
export function enumerate(items: readonly string[], joiner = "and"): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} ${joiner} ${items[items.length - 1] ?? ""}`;
}

/** Conversation in which the last answer, or the last calls, are scored. */
export function answeredLast(messages: readonly Message[]): Conversation {
  const last = messages.at(-1);
  if (last?.role === "assistant" && last.calls !== undefined)
    return { messages, expect: { kind: "calls", calls: last.calls } };
  return { messages, expect: { kind: "equals", text: last?.content ?? "" } };
}
