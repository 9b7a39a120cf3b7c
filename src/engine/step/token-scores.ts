import assert from "node:assert/strict";
import type { PromptTokenScore, TokenScore, TokenText } from "../../core/generation-event.js";
import type { GenerationRequest } from "../../core/generation-request.js";
import type { BatchPart, LogProbabilities } from "../native/token-context.js";
import type { GeneratedText } from "../text/output/generated-text.js";
import type { TextSpan } from "../text/output/output-piece.js";
import { ReportedScores } from "../text/output/reported-scores.js";

/** The log-probabilities of generated tokens, until they are reported. */
export class AnswerScores {
  readonly #texts: TokenTexts;
  /** Of tokens that have not been read. */
  readonly #unread: LogProbabilities[] = [];
  /** Of those that have been read, if all are reported. */
  readonly #all: TokenScore[] | undefined;
  readonly #ofText = new ReportedScores();

  constructor(texts: TokenTexts, scored: GenerationRequest["scoredTokens"] = "answer-text") {
    this.#texts = texts;
    this.#all = scored === "all" ? [] : undefined;
  }

  /** Takes those of the next generated token. */
  push(probabilities: LogProbabilities): void {
    this.#unread.push(probabilities);
  }

  /** A token is read, that is its text comes next. Tokens are read in their order. */
  read(token: number): void {
    const probabilities = this.#unread.shift();
    if (probabilities === undefined) return;
    const score = toTokenScore(token, probabilities, this.#texts);
    if (this.#all !== undefined) this.#all.push(score);
    else if (score.controlText !== undefined) this.#ofText.pushControlToken();
    else this.#ofText.push(score);
  }

  /** A token is read that ends the answer. */
  readEnd(token: number): void {
    if (this.#all !== undefined) this.read(token);
  }

  /** Those to be reported with a text; the tokens before it are forgotten, unless all are reported. */
  takeWith(spans: readonly TextSpan[]): readonly TokenScore[] {
    return this.#all?.splice(0) ?? this.#ofText.take(spans);
  }

  /** Those to be reported when the answer ends; `undefined`: with its texts all have been. */
  takeRest(): readonly TokenScore[] | undefined {
    return this.#all?.splice(0);
  }
}

/** The log-probabilities of a prompt's tokens, as its slices are evaluated. */
export class PromptScores {
  readonly #promptTokens: readonly number[];
  readonly #texts: TokenTexts;
  /** Tokens that have been scored. */
  #length = 0;
  #unreported: PromptTokenScore[] = [];

  constructor(promptTokens: readonly number[], texts: TokenTexts) {
    this.#promptTokens = promptTokens;
    this.#texts = texts;
  }

  /** Whether the last of them has been scored. */
  get isWhole(): boolean {
    return this.#length >= this.#promptTokens.length;
  }

  /**
   * The prompt's tokens that follow those of a slice, each of them drawn, as it were, from the row before it.
   * Behind the prompt's last token none follows.
   */
  followers({ position, tokens }: Pick<BatchPart, "position" | "tokens">): readonly number[] {
    return this.#promptTokens.slice(position + 1, position + 1 + tokens.length);
  }

  /**
   * Takes the scores of a slice.
   * @param probabilities of the {@link followers}
   */
  add(
    slice: Pick<BatchPart, "position" | "tokens">,
    probabilities: readonly LogProbabilities[],
  ): void {
    const followers = this.followers(slice);
    assert(probabilities.length === followers.length, "every token of a prompt has a row");
    const [first] = this.#promptTokens;
    if (this.#length === 0 && first !== undefined) {
      this.#unreported.push({ ...toTokenText(first, this.#texts), top: [] });
      this.#length = 1;
    }
    assert(this.#length === slice.position + 1, "the slices of a prompt are scored one by one");
    this.#length += followers.length;
    for (const [index, token] of followers.entries()) {
      const ofToken = probabilities[index];
      if (ofToken !== undefined) this.#unreported.push(toTokenScore(token, ofToken, this.#texts));
    }
  }

  /** Those that have not been taken yet. */
  take(): readonly PromptTokenScore[] {
    return this.#unreported.splice(0);
  }
}

/** How tokens are written. */
export type TokenTexts = Pick<GeneratedText, "bytesOf" | "controlTextOf">;

/** What a token stands for, as plain data. */
export function toTokenText(token: number, texts: TokenTexts): TokenText {
  const controlText = texts.controlTextOf(token);
  return controlText === undefined
    ? { id: token, bytes: [...texts.bytesOf(token)] }
    : { id: token, bytes: [], controlText };
}

/** A token with what the model gave it, as plain data. */
export function toTokenScore(
  token: number,
  { logProbability, top }: LogProbabilities,
  texts: TokenTexts,
): TokenScore {
  return {
    ...toTokenText(token, texts),
    logProbability,
    top: top.map((other) => ({
      ...toTokenText(other.token, texts),
      logProbability: other.logProbability,
    })),
  };
}
