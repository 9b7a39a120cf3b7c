import { createHash } from "node:crypto";
import { Random } from "../../models/random/random-choices.js";

/** Short, common English words, each of a few tokens with any tokenizer. */
export const words = `
able about above across after again almost along also always answer around baby back bank bear
become before begin behind below best better between bird black blue boat book both bottle bread
bridge bring brother brown build butter carry catch change child city clean clear close cloud coat
cold colour come cook corner count country cover cross dance dark daughter deep dinner dish doctor
door dream drink drive early earth east easy evening every face family farm fast father field find
fire first fish floor flower follow food forest friend fruit garden give glass good grass great green
ground grow hand happy hard head hear heart heavy help high hold home horse hour house island keep
`
  .trim()
  .split(/\s+/);

/**
 * Generator of the prompts of one run. The same key and name give the same text on every machine
 * and for every server; texts of different keys or names have no common prefix.
 */
export class PromptWriter {
  readonly #key: string;
  readonly #tokensPerWord: number;

  /**
   * @param key identifies the run
   * @param tokensPerWord mean token count of {@link words} with the model's tokenizer
   */
  constructor(key: string, tokensPerWord: number) {
    this.#key = key;
    this.#tokensPerWord = tokensPerWord;
  }

  /** Returns about `targetTokens` tokens of words after a unique prefix. */
  text(name: string, targetTokens: number): string {
    const count = Math.max(1, Math.round(targetTokens / this.#tokensPerWord));
    return textOf(`${this.#key}/${name}`, count);
  }

  /**
   * Returns the random source for choices that accompany the texts, e.g. their lengths; the same
   * for the same name.
   */
  random(name: string): Random {
    return new Random(digestOf(`${this.#key}/${name}`).readUInt32LE());
  }

  /**
   * Returns about `targetTokens` tokens of words without the unique prefix, so that two texts may
   * begin alike.
   */
  plainText(name: string, targetTokens: number): string {
    return this.words(name, targetTokens / this.#tokensPerWord);
  }

  /** Returns `count` words without the unique prefix, so that two texts may begin alike. */
  words(name: string, count: number): string {
    return this.text(name, count * this.#tokensPerWord).replace(/^\S+ /, "");
  }
}

/** Returns `count` random words after a prefix that is unique to the key. */
export function textOf(key: string, count: number): string {
  const digest = digestOf(key);
  const random = new Random(digest.readUInt32LE());
  const randomWords = Array.from({ length: count }, () => random.pick(words));
  return [digest.toString("hex", 4, 9), ...randomWords].join(" ");
}

function digestOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
