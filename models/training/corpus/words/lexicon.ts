import type { Random } from "../../../random/random-choices.js";
import { hash } from "../hash.js";
import { adjectives, animals, foods, jobs, places, things } from "./common.js";
import { familyNames, givenNames } from "./names.js";
import { nouns, type SpokenVerb, verbs } from "./tool-words.js";

/** Split of the words; training and held-out words are disjoint. */
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

/** Selects a tenth of all words by hash, which is held out of training. */
export function isHeldOut(word: string): boolean {
  return hash(word.toLowerCase()) % 10 === 0;
}

/** Words of one split; lists are filtered, invented words are drawn until they belong to it. */
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
  readonly toolVerbs: readonly SpokenVerb[];

  /** Word pieces for invented words; see {@link invented}. */
  private readonly pieces: readonly string[];

  constructor(split: Split, pieces: readonly string[] = []) {
    this.split = split;
    this.pieces = pieces;
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

  /**
   * Invents a word in lower case from syllables or from the vocabulary's pieces. Rare pieces would
   * otherwise hardly be copied in training, and could not be copied later.
   */
  invented(random: Random, maxSyllables = 3): string {
    for (;;) {
      if (this.pieces.length > 0 && random.chance(0.5)) {
        const word = random.pick(this.pieces) + random.pick(this.pieces);
        if (this.owns(word)) return word;
        continue;
      }
      const count = random.int(1, maxSyllables);
      let word = "";
      for (let i = 0; i < count; i += 1) {
        word += random.pick(onsets) + random.pick(vowels);
        if (i === count - 1 || random.chance(0.25)) word += random.pick(codas);
      }
      if (word.length >= 3 && this.owns(word)) return word;
    }
  }

  /** A meaningless sequence of letters. */
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
    return random.chance(0.4) ? random.pick(this.givenNames) : capital(this.invented(random));
  }

  /** A town or country, sometimes an invented one. */
  place(random: Random): string {
    return random.chance(0.4) ? random.pick(this.places) : capital(this.invented(random));
  }

  /** A thing; see {@link known}. */
  thing(random: Random): string {
    return this.known(random, this.things);
  }

  /** A food or drink; see {@link known}. */
  food(random: Random): string {
    return this.known(random, this.foods);
  }

  /** An animal; see {@link known}. */
  animal(random: Random): string {
    return this.known(random, this.animals);
  }

  /** An occupation; see {@link known}. */
  job(random: Random): string {
    return this.known(random, this.jobs);
  }

  /** An adjective; see {@link known}. */
  adjective(random: Random): string {
    return this.known(random, this.adjectives);
  }

  /** A family name; see {@link known}. */
  familyName(random: Random): string {
    return capital(this.known(random, this.familyNames));
  }

  /**
   * Draws a word of a list. In training every other word is invented instead, because a model that
   * sees the same few words repeatedly learns to recall them instead of copying.
   */
  private known(random: Random, list: readonly string[]): string {
    return this.split === "train" && random.chance(0.5) ? this.invented(random) : random.pick(list);
  }

  /**
   * Draws the noun of a tool, whose words are joined by underscores. In training two thirds are
   * composed of arbitrary words, so that the end of a name must be read from the tool instead of
   * memorised.
   */
  toolNoun(random: Random): string {
    if (this.split === "heldout" || random.chance(1 / 3)) return random.pick(this.toolNouns);
    for (;;) {
      const parts = Array.from({ length: random.int(1, 2) }, () =>
        random.pick([this.thing(random), ...random.pick(this.toolNouns).split("_")]),
      );
      const noun = parts.join("_");
      if (this.owns(noun)) return noun;
    }
  }

  /**
   * Draws a tool's name: verb and noun, sometimes the noun alone or camel case. These two forms are
   * more frequent in training, so that the model learns to read the form from the tool.
   */
  toolName(random: Random, verb: string, noun: string): string {
    const rare = this.split === "train" ? 2 : 1;
    const both = `${verb}_${noun}`;
    return random.weighted([
      [7, both],
      [rare, noun],
      [rare, camelCase(both)],
    ]);
  }

  /**
   * Draws the key of an argument. In training a quarter of the keys are unusual, so that the key of
   * a value must be read from the tool.
   */
  argumentKey(random: Random, usual: string): string {
    if (this.split === "heldout" || random.chance(0.75)) return usual;
    const parts = Array.from({ length: random.int(1, 2) }, () => this.thing(random));
    return parts.join("_");
  }

  /** Draws a tool's verb, and its form in a request. */
  toolVerb(random: Random): SpokenVerb {
    if (this.split === "heldout" || random.chance(0.5)) return random.pick(this.toolVerbs);
    const verb = this.invented(random, 2);
    return [verb, verb];
  }

  /** A short code in upper case, as of a stock or a currency. */
  symbol(random: Random): string {
    for (;;) {
      const letters = random.chance(0.5) ? this.scramble(random) : this.invented(random, 2);
      const code = letters.slice(0, random.int(2, 5)).toUpperCase();
      if (this.owns(code)) return code;
    }
  }

  /** Draws any word: common, invented or scrambled; in training some are in upper case. */
  anyWord(random: Random): string {
    const word = this.anyLowerCaseWord(random);
    return this.split === "train" && random.chance(0.07) ? word.toUpperCase() : word;
  }

  /**
   * Draws words of any kind. In training one is sometimes repeated, so that only the position being
   * copied determines the next word.
   */
  someWords(random: Random, count: number): string[] {
    const drawn: string[] = [];
    while (drawn.length < count) {
      const again = this.split === "train" && drawn.length > 0 && random.chance(0.06);
      drawn.push(again ? random.pick(drawn) : this.anyWord(random));
    }
    return drawn;
  }

  private anyLowerCaseWord(random: Random): string {
    const kind = random.int(0, 9);
    if (kind < 3) return this.thing(random);
    if (kind < 4) return this.animal(random);
    if (kind < 5) return this.food(random);
    if (kind < 6) return this.adjective(random);
    if (kind < 9) return this.invented(random);
    return this.scramble(random);
  }
}

/** The word with its first letter in upper case. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function camelCase(text: string): string {
  return text.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** "a" or "an", by the first letter. */
export function article(word: string): string {
  return /^[aeiou]/i.test(word) ? "an" : "a";
}
