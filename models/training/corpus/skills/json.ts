import type { Random } from "../../../random/random-choices.js";
import type { Json, Skill } from "../conversation.js";
import { json } from "../json.js";
import { assistant, enumerate, fill, user } from "../phrasing.js";
import { colours } from "../words/common.js";
import type { Lexicon } from "../words/lexicon.js";

type Field = readonly [key: string, value: Json];

const numeric = [
  "age",
  "price",
  "size",
  "count",
  "year",
  "weight",
  "height",
  "score",
  "level",
  "amount",
  "number",
  "stock",
];
const truths = ["active", "open", "paid", "ready", "done", "new", "public", "valid"];
const asks = [
  "Write a JSON object with {f}.",
  "Give me JSON with {f}.",
  "Make a JSON object with {f}.",
  "Create a JSON object with {f}.",
  "I need a JSON object with {f}.",
  "JSON with {f}, please.",
  "Return a JSON object with {f}.",
  "Answer in JSON with {f}.",
  "Output JSON: {f}",
  "Write this as JSON: {f}",
  "Turn this into JSON: {f}",
  "Please write JSON with {f}.",
  "Produce a JSON object with the fields {f}.",
  "json: {f}",
  "Convert to JSON: {f}",
];
const pairings = ["{k} {v}", "{k} {v}", "{k}: {v}", "{k} = {v}", "the {k} {v}", "{k} set to {v}"];

function field(random: Random, words: Lexicon): Field {
  const kind = random.int(0, 9);
  if (kind === 0) return ["name", words.name(random)];
  if (kind === 1) return ["city", words.place(random)];
  if (kind <= 3) return [random.pick(numeric), random.int(0, 9999)];
  if (kind === 4) return [random.pick(truths), random.chance(0.5)];
  if (kind === 5) return ["color", random.pick(colours)];
  if (kind === 6) return [words.thing(random), words.adjective(random)];
  if (kind === 7) return [words.invented(random), words.invented(random)];
  if (kind === 8) return [words.invented(random), random.int(0, 999)];
  return [words.thing(random), words.anyWord(random)];
}

/** A JSON object with the fields and values the user names. */
export const jsonObject: Skill = (random, words) => {
  const fields = new Map<string, Json>();
  const count = random.weighted([
    [2, 1],
    [4, 2],
    [4, 3],
    [1, 4],
  ]);
  while (fields.size < count) fields.set(...field(random, words));
  const pairing = random.pick(pairings);
  const quoted = random.chance(0.15);
  const spoken = [...fields].map(([k, v]) =>
    fill(pairing, { k, v: quoted && typeof v === "string" ? `"${v}"` : String(v) }),
  );
  const f = random.chance(0.25) ? spoken.join(", ") : enumerate(spoken);
  const value = Object.fromEntries(fields);
  const ask = fill(random.pick(asks), { f });
  const named = enumerate([...fields.keys()]);
  return {
    ...(random.chance(0.1) ? { system: "Answer in JSON." } : {}),
    messages: [
      user(random.chance(0.2) ? ask.charAt(0).toLowerCase() + ask.slice(1) : ask),
      assistant(json(value), `The fields are ${named}.`),
    ],
    expect: { kind: "json", value },
  };
};

/** A JSON object from a sentence: fields are named, values are found in the text. */
export const jsonFromText: Skill = (random, words) => {
  const name = words.name(random);
  const age = random.int(3, 99);
  const city = words.place(random);
  const job = words.job(random);
  const known: Record<string, readonly [string, Json]> = {
    name: [`${name}`, name],
    age: [`is ${age} years old`, age],
    city: [`lives in ${city}`, city],
    job: [`works as a ${job}`, job],
  };
  const keys = random.sample(["age", "city", "job"], random.int(1, 3));
  const sentence = `${name} ${enumerate(keys.map((key) => known[key]?.[0] ?? ""))}.`;
  const wanted = ["name", ...keys];
  const value = Object.fromEntries(wanted.map((key) => [key, known[key]?.[1] ?? null]));
  const ask = fill(
    random.pick([
      "{s} Write this as JSON with {k}.",
      "Extract {k} as JSON: {s}",
      "{s} Give me JSON with {k}.",
      "Make a JSON object with {k} from this text: {s}",
      "{s}\nJSON with the fields {k}, please.",
    ]),
    { s: sentence, k: enumerate(wanted) },
  );
  return {
    messages: [user(ask), assistant(json(value), `The fields are ${enumerate(wanted)}.`)],
    expect: { kind: "json", value },
  };
};
