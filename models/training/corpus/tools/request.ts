import type { Random } from "../../../random/random-choices.js";
import type { Parameter } from "./parameters.js";
import type { Drawn } from "./tool.js";

const reading = [
  "get",
  "tell me",
  "show me",
  "give me",
  "find",
  "check",
  "look up",
  "fetch",
  "look for",
];
const frames = [
  "{r}",
  "{r}",
  "{r}",
  "{r}, please",
  "please {r}",
  "can you {r}?",
  "could you {r}?",
  "I want you to {r}",
  "would you {r}?",
  "I need you to {r}",
  "{r} for me",
  "hi, {r}",
  "now {r}",
  "please {r}, thanks",
];

/** User's request for a call of this tool. */
export function requestFor(random: Random, drawn: Drawn): string {
  return frame(random, core(random, drawn, drawn.parameters));
}

/** User's request for calls of these tools, in this order. */
export function requestForAll(random: Random, wanted: readonly Drawn[]): string {
  const conjunction = random.pick(["and", "and also", "and then"]);
  const parts = wanted.map((drawn) => core(random, drawn, drawn.parameters));
  return frame(random, parts.join(` ${conjunction} `));
}

/** User's request for one tool with the arguments of both calls, as in "in Oslo and Rome". */
export function requestForBothValues(random: Random, drawn: Drawn, again: Drawn): string {
  const [parameter] = drawn.parameters;
  const [other] = again.parameters;
  if (parameter === undefined || other === undefined) throw new RangeError("one argument each");
  const phrase = `${parameter.phrase} and ${other.phrase}`;
  return frame(random, core(random, drawn, [{ ...parameter, phrase }]));
}

/** Request without a frame: verb, noun, mentions of the arguments. */
function core(random: Random, drawn: Drawn, parameters: readonly Parameter[]): string {
  const phrases = random.chance(0.3) ? [...parameters].reverse() : parameters;
  const tail = phrases.map(({ phrase }) => ` ${phrase}`).join(random.chance(0.12) ? "," : "");
  const asks = reading.includes(drawn.spokenVerb);
  if (asks && random.chance(0.35)) {
    const question = random.pick(["what is", "what's", "how is", "what is"]);
    return `${question} the ${drawn.noun}${tail}`;
  }
  const determiner = random.pick(["the", "the", "a", "my"]);
  return `${drawn.spokenVerb} ${determiner} ${drawn.noun}${tail}`;
}

/** Politeness and punctuation around a request. */
function frame(random: Random, request: string): string {
  const question = /^(what|how)/.test(request);
  let text = question ? request : random.pick(frames).replace("{r}", () => request);
  if (random.chance(0.65)) text = text.charAt(0).toUpperCase() + text.slice(1);
  if (/[?]$/.test(text)) return text;
  if (question) return text + random.pick(["?", "?", ""]);
  return text + random.pick([".", ".", "", "!"]);
}
