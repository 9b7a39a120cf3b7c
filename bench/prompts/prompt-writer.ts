import { createHash } from "node:crypto";
import { Random } from "../../models/random/random-choices.js";
import { words } from "./words.js";

/**
 * Writes the texts of one run. The same key and name give the same text, on every machine and for
 * every server; different ones share nothing at their beginning.
 */
export class PromptWriter {
  readonly #key: string;
  readonly #tokensPerWord: number;

  /**
   * @param key of the run.
   * @param tokensPerWord what the model's tokenizer makes of {@link words}.
   */
  constructor(key: string, tokensPerWord: number) {
    this.#key = key;
    this.#tokensPerWord = tokensPerWord;
  }

  /** About as many tokens of words as asked for, after a beginning that no other text has. */
  text(name: string, tokens: number): string {
    const count = Math.max(1, Math.round(tokens / this.#tokensPerWord));
    return textOf(`${this.#key}/${name}`, count);
  }

  /** So many words and nothing else: its beginning may be that of another text. */
  words(name: string, count: number): string {
    return this.text(name, count * this.#tokensPerWord).replace(/^\S+ /, "");
  }
}

/** A number of random words after a beginning that no other key's text has. */
export function textOf(key: string, count: number): string {
  const digest = createHash("sha256").update(key).digest();
  const random = new Random(digest.readUInt32LE());
  const chosen = Array.from({ length: count }, () => random.pick(words));
  return [digest.toString("hex", 4, 9), ...chosen].join(" ");
}
