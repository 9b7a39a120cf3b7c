import type { Random } from "../../../random/random-choices.js";
import type { Json } from "../conversation.js";
import { passage } from "../skills/copy.js";
import { colours } from "../words/common.js";
import { days, months } from "../words/facts.js";
import type { Lexicon } from "../words/lexicon.js";

/** Parameter with a value and the words in which a user mentions it. */
export interface Parameter {
  readonly key: string;
  readonly type: "string" | "integer" | "boolean";
  /** Argument value in the expected call. */
  readonly value: Json;
  /** Mention, such as "in Paris". */
  readonly phrase: string;
}

type Maker = (random: Random, words: Lexicon) => Parameter;

function code(random: Random): string {
  const digits = String(random.int(1, 99999));
  if (random.chance(0.4)) return digits;
  const letter = String.fromCharCode(65 + random.int(0, 25));
  return random.chance(0.5)
    ? letter + digits
    : `${letter}${String.fromCharCode(65 + random.int(0, 25))}-${digits}`;
}

function day(random: Random): string {
  const kind = random.int(0, 4);
  if (kind <= 1) return random.pick(days);
  if (kind === 2) return random.pick(["today", "tomorrow", "tonight", "yesterday"]);
  if (kind === 3) return `${random.int(1, 31)} ${random.pick(months)}`;
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${random.int(1990, 2030)}-${two(random.int(1, 12))}-${two(random.int(1, 28))}`;
}

function clock(random: Random): string {
  if (random.chance(0.4)) return `${random.int(1, 12)} ${random.pick(["am", "pm"])}`;
  return `${random.int(0, 23)}:${random.pick(["00", "15", "30", "45", "10", "20"])}`;
}

function email(random: Random, words: Lexicon): string {
  const user = random.chance(0.5) ? words.name(random).toLowerCase() : words.invented(random);
  return `${user}@${words.invented(random)}.${random.pick(["com", "org", "net"])}`;
}

const place: Maker = (random, words) => {
  const value = words.place(random);
  return {
    key: random.pick([
      "city",
      "location",
      "place",
      "town",
      "city",
      "location",
      "destination",
      "region",
    ]),
    type: "string",
    value,
    phrase: `${random.pick(["in", "in", "at", "near"])} ${value}`,
  };
};
const person: Maker = (random, words) => {
  const value = random.chance(0.25)
    ? `${words.name(random)} ${words.familyName(random)}`
    : words.name(random);
  return {
    key: random.pick([
      "name",
      "person",
      "user",
      "customer",
      "recipient",
      "to",
      "contact",
      "owner",
      "guest",
    ]),
    type: "string",
    value,
    phrase: `${random.pick(["for", "of", "to", "for"])} ${value}`,
  };
};
const date: Maker = (random) => {
  const value = day(random);
  const bare = /^(to|yes)/.test(value);
  return {
    key: random.pick(["date", "day", "when", "due_date"]),
    type: "string",
    value,
    phrase: bare ? value : `${random.pick(["on", "for"])} ${value}`,
  };
};
const time: Maker = (random) => {
  const value = clock(random);
  return {
    key: random.pick(["time", "start_time", "at", "hour"]),
    type: "string",
    value,
    phrase: `at ${value}`,
  };
};
const text: Maker = (random, words) => {
  const value = passage(random, words).replace(/[.!?]$/, "");
  const key = random.pick([
    "title",
    "text",
    "message",
    "query",
    "subject",
    "note",
    "content",
    "label",
    "topic",
  ]);
  return {
    key,
    type: "string",
    value,
    phrase: random.pick([
      `"${value}"`,
      `saying "${value}"`,
      `called "${value}"`,
      `with the ${key} "${value}"`,
      `with ${key} "${value}"`,
    ]),
  };
};
const identifier: Maker = (random) => {
  const value = code(random);
  const key = random.pick(["id", "number", "code", "order_id", "reference", "key", "ticket_id"]);
  return {
    key,
    type: "string",
    value,
    phrase: random.pick([
      `${value}`,
      `number ${value}`,
      `with id ${value}`,
      `${key.replace("_", " ")} ${value}`,
    ]),
  };
};
const symbol: Maker = (random, words) => {
  const value = words.symbol(random);
  return {
    key: random.pick([
      "symbol",
      "ticker",
      "stock",
      "currency",
      "airport",
      "country_code",
      "code",
      "unit",
    ]),
    type: "string",
    value,
    phrase: random.pick([`of ${value}`, `for ${value}`, `in ${value}`, value]),
  };
};
const amount: Maker = (random) => {
  const value = random.int(1, random.pick([9, 99, 999]));
  const key = random.pick([
    "amount",
    "count",
    "limit",
    "quantity",
    "size",
    "days",
    "minutes",
    "number",
    "level",
    "people",
  ]);
  const unit = ["days", "minutes", "people"].includes(key);
  return {
    key,
    type: "integer",
    value,
    phrase: unit
      ? `for ${value} ${key}`
      : random.pick([`with ${key} ${value}`, `${key} ${value}`, `with a ${key} of ${value}`]),
  };
};
const invented: Maker = (random, words) => {
  const key = random.chance(0.5) ? words.invented(random) : words.thing(random);
  const whole = random.chance(0.35);
  const value = whole ? random.int(0, 999) : words.anyWord(random);
  return {
    key,
    type: whole ? "integer" : "string",
    value,
    phrase: random.pick([
      `with ${key} ${value}`,
      `with the ${key} ${value}`,
      `with ${key} set to ${value}`,
    ]),
  };
};
const address: Maker = (random, words) => {
  const value = email(random, words);
  return {
    key: random.pick(["email", "to", "address", "recipient"]),
    type: "string",
    value,
    phrase: `to ${value}`,
  };
};
const shade: Maker = (random) => {
  const value = random.pick(colours);
  return { key: random.pick(["color", "colour"]), type: "string", value, phrase: `in ${value}` };
};
const flag: Maker = (random, words) => {
  const key = random.chance(0.5)
    ? words.invented(random)
    : random.pick(["urgent", "private", "silent", "express", "public"]);
  const value = random.chance(0.6);
  return {
    key,
    type: "boolean",
    value,
    phrase: random.pick([`with ${key} ${value}`, `${key} ${value}`]),
  };
};

const makers = [
  [9, place],
  [6, person],
  [5, date],
  [4, time],
  [5, text],
  [6, identifier],
  [3, symbol],
  [6, amount],
  [12, invented],
  [2, address],
  [1, shade],
  [1, flag],
] as const;

/** Returns the parameter under another key, unless its mention contains the key. */
function rekeyed(random: Random, words: Lexicon, parameter: Parameter): Parameter {
  if (parameter.phrase.includes(parameter.key.replaceAll("_", " "))) return parameter;
  return { ...parameter, key: words.argumentKey(random, parameter.key) };
}

/** Draws up to three parameters with different keys, most often one. */
export function drawParameters(random: Random, words: Lexicon): Parameter[] {
  const count = random.weighted([
    [1, 0],
    [8, 1],
    [5, 2],
    [1, 3],
  ]);
  const chosen = new Map<string, Parameter>();
  const kinds = new Set<Maker>();
  while (chosen.size < count) {
    const maker = random.weighted(makers);
    if (kinds.has(maker) && maker !== invented) continue;
    kinds.add(maker);
    const parameter = rekeyed(random, words, maker(random, words));
    chosen.set(parameter.key, parameter);
  }
  return [...chosen.values()];
}

/** The same parameter with another value, for a second call of the same tool. */
export function anotherValue(
  random: Random,
  words: Lexicon,
  parameter: Parameter,
): string | undefined {
  const value = parameter.value;
  if (typeof value !== "string" || !/^[A-Z][a-z]+$/.test(value)) return undefined;
  if (days.some((name) => name === value))
    return random.pick(days.filter((name) => name !== value));
  return words.place(random);
}
