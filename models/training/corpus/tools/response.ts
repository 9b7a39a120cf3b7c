import type { Random } from "../../../random/random-choices.js";
import type { Json, ToolCall } from "../conversation.js";
import { json } from "../json.js";
import { enumerate } from "../phrasing.js";
import { capital, type Lexicon } from "../words/lexicon.js";

/** Result of a tool, and the sentence with which the assistant reports it. */
export interface ToolResult {
  readonly content: string;
  readonly sentence: string;
}

const keys = [
  "temperature",
  "condition",
  "status",
  "price",
  "result",
  "value",
  "total",
  "time",
  "date",
  "name",
  "title",
  "count",
  "id",
  "state",
  "level",
  "speed",
  "score",
  "city",
  "duration",
  "balance",
  "rate",
];

function value(random: Random, words: Lexicon): Json {
  const kind = random.int(0, 5);
  if (kind <= 1) return random.int(0, 9999);
  if (kind === 2) return `${random.int(1, 99)}.${random.int(0, 9)}`;
  if (kind === 3) return words.name(random);
  if (kind === 4) return words.anyWord(random);
  return `${words.anyWord(random)} ${words.anyWord(random)}`;
}

/** Draws a plausible result of a call. The sentence follows one rule: every key with its value. */
export function resultOf(random: Random, words: Lexicon, noun: string, call: ToolCall): ToolResult {
  const kind = random.int(0, 9);
  if (kind === 0) {
    const reason = random.pick([
      "not found",
      "no access",
      "timeout",
      `unknown ${noun}`,
      "server down",
    ]);
    return { content: json({ error: reason }), sentence: `That did not work: ${reason}.` };
  }
  if (kind === 1) {
    return {
      content: random.pick(["ok", "done", "OK", "success", "true", json({ ok: true })]),
      sentence: "Done.",
    };
  }
  if (kind <= 3) {
    const item = String(value(random, words));
    return { content: item, sentence: `The result is ${item}.` };
  }
  if (kind === 4) {
    const items = Array.from({ length: random.int(2, 3) }, () => words.anyWord(random));
    return { content: json(items), sentence: `I found ${enumerate(items)}.` };
  }
  if (kind === 5) {
    const text = `${capital(`the ${noun} is ${words.adjective(random)}`)}.`;
    return { content: text, sentence: text };
  }
  const entries = random.sample(
    [...keys, noun.replace(/ /g, "_"), words.invented(random)],
    random.weighted([
      [4, 1],
      [4, 2],
      [2, 3],
    ]),
  );
  const object = Object.fromEntries(entries.map((key) => [key, value(random, words)]));
  const given = random.chance(0.3) ? { ...firstArgument(call), ...object } : object;
  const sentence = Object.entries(given).map(
    ([key, item]) => `the ${key.replace(/_/g, " ")} is ${String(item)}`,
  );
  return { content: json(given), sentence: `${capital(enumerate(sentence))}.` };
}

function firstArgument(call: ToolCall): Record<string, Json> {
  const first = Object.entries(call.arguments)[0];
  return first === undefined ? {} : { [first[0]]: first[1] };
}
