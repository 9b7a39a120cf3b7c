import { hash, type Random } from "../random.js";
import { adjectives, animals, foods, jobs, places, things } from "./common.js";
import { familyNames, givenNames } from "./names.js";
import { nouns, verbs } from "./tool-words.js";

/** Training words and words kept out for the evaluation never meet. */
export type Split = "train" | "heldout";

const onsets = [
  "b",
  "br",
  "c",
  "ch",
  "cl",
  "d",
  "dr",
  "f",
  "fl",
  "g",
  "gr",
  "h",
  "j",
  "k",
  "l",
  "m",
  "n",
  "p",
  "pl",
  "qu",
  "r",
  "s",
  "sh",
  "sk",
  "sl",
  "st",
  "t",
  "th",
  "tr",
  "v",
  "w",
  "y",
  "z",
  "",
];
const vowels = ["a", "e", "i", "o", "u", "a", "e", "i", "o", "u", "ai", "ea", "oo", "ou", "ee"];
const codas = ["", "", "", "n", "r", "l", "s", "t", "m", "k", "x", "nd", "rk", "sh", "ll", "p"];

/** A tenth of all words, chosen by hash, is kept out of training. */
export function isHeldOut(word: string): boolean {
  return hash(word.toLowerCase()) % 10 === 0;
}

/** The words one split may use; lists are filtered, invented words are drawn until they fit. */
export class Lexicon {
  readonly split: Split;
  readonly givenNames: readonly string[];
  readonly familyNames: readonly string[];
  readonly places: readonly string[];
  readonly animals: readonly string[];
  readonly foods: readonly string[];
  readonly things: readonly string[];
  readonly jobs: readonly string[];
  readonly adjectives: readonly string[];
  readonly toolNouns: readonly string[];
  readonly toolVerbs: readonly (readonly [string, string])[];

  constructor(split: Split) {
    this.split = split;
    const keep = (word: string): boolean => isHeldOut(word) === (split === "heldout");
    this.givenNames = givenNames.filter(keep);
    this.familyNames = familyNames.filter(keep);
    this.places = places.filter(keep);
    this.animals = animals.filter(keep);
    this.foods = foods.filter(keep);
    this.things = things.filter(keep);
    this.jobs = jobs.filter(keep);
    this.adjectives = adjectives.filter(keep);
    this.toolNouns = nouns.filter(keep);
    this.toolVerbs = verbs.filter(([verb]) => keep(verb));
  }

  /** Whether a pair of numbers or words belongs to this split. */
  owns(key: string): boolean {
    return isHeldOut(key) === (this.split === "heldout");
  }

  /** An invented word in lower case. */
  invented(random: Random, maxSyllables = 3): string {
    for (;;) {
      const count = random.int(1, maxSyllables);
      let word = "";
      for (let i = 0; i < count; i += 1) {
        word += random.pick(onsets) + random.pick(vowels);
        if (i === count - 1 || random.chance(0.25)) word += random.pick(codas);
      }
      if (word.length >= 3 && this.owns(word)) return word;
    }
  }

  /** A run of letters without any sense. */
  scramble(random: Random): string {
    for (;;) {
      let word = "";
      const count = random.int(3, 7);
      for (let i = 0; i < count; i += 1) word += String.fromCharCode(97 + random.int(0, 25));
      if (this.owns(word)) return word;
    }
  }

  /** A given name, sometimes an invented one. */
  name(random: Random): string {
    return random.chance(0.5) ? random.pick(this.givenNames) : capital(this.invented(random));
  }

  /** A town or country, sometimes an invented one. */
  place(random: Random): string {
    return random.chance(0.5) ? random.pick(this.places) : capital(this.invented(random));
  }

  /** Any word at all: common, invented or scrambled. */
  anyWord(random: Random): string {
    const kind = random.int(0, 9);
    if (kind < 3) return random.pick(this.things);
    if (kind < 4) return random.pick(this.animals);
    if (kind < 5) return random.pick(this.foods);
    if (kind < 6) return random.pick(this.adjectives);
    if (kind < 9) return this.invented(random);
    return this.scramble(random);
  }
}

/** The word with its first letter in upper case. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** "a" or "an", by the first letter. */
export function article(word: string): string {
  return /^[aeiou]/i.test(word) ? "an" : "a";
}
