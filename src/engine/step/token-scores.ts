import assert from "node:assert/strict";
import type { PromptTokenScore, TokenScore, TokenText } from "../../core/generation-event.js";
import type { GenerationRequest } from "../../core/generation-request.js";
import type { BatchPart, LogProbabilities } from "../native/token-context.js";
import type { GeneratedText } from "../text/output/generated-text.js";
import type { TextSpan } from "../text/output/output-piece.js";
import { ReportedScores } from "../text/output/reported-scores.js";

/** Log-probabilities of generated tokens, kept until they are reported. */
export class AnswerScores {
  readonly #texts: TokenTexts;
  /** Log-probabilities of tokens that have not been read. */
  readonly #unread: LogProbabilities[] = [];
  /** Scores of tokens that have been read, if scores of all tokens are reported. */
  readonly #all: TokenScore[] | undefined;
  readonly #ofText = new ReportedScores();

  constructor(texts: TokenTexts, scored: GenerationRequest["scoredTokens"] = "answer-text") {
    this.#texts = texts;
    this.#all = scored === "all" ? [] : undefined;
  }

  /** Adds the log-probabilities of the next generated token. */
  push(probabilities: LogProbabilities): void {
    this.#unread.push(probabilities);
  }

  /** Reads a token: its text comes next. Tokens must be read in order. */
  read(token: number): void {
    const probabilities = this.#unread.shift();
    if (probabilities === undefined) return;
    const score = toTokenScore(token, probabilities, this.#texts);
    if (this.#all !== undefined) this.#all.push(score);
    else if (score.controlText !== undefined) this.#ofText.pushControlToken();
    else this.#ofText.push(score);
  }

  /** Reads the end-of-generation token. */
  readEnd(token: number): void {
    if (this.#all !== undefined) this.read(token);
  }

  /**
   * Takes the scores to report with a text. Scores of earlier tokens are dropped, unless scores of all tokens are
   * reported.
   */
  takeWith(spans: readonly TextSpan[]): readonly TokenScore[] {
    return this.#all?.splice(0) ?? this.#ofText.take(spans);
  }

  /** Takes the scores to report when the answer ends; `undefined`: all were reported with its texts. */
  takeRest(): readonly TokenScore[] | undefined {
    return this.#all?.splice(0);
  }
}

/** Log-probabilities of a prompt's tokens, collected as its slices are evaluated. */
export class PromptScores {
  readonly #promptTokens: readonly number[];
  readonly #texts: TokenTexts;
  /** Number of prompt tokens that have been scored. */
  #length = 0;
  #unreported: PromptTokenScore[] = [];

  constructor(promptTokens: readonly number[], texts: TokenTexts) {
    this.#promptTokens = promptTokens;
    this.#texts = texts;
  }

  /** Whether the last prompt token has been scored. */
  get isWhole(): boolean {
    return this.#length >= this.#promptTokens.length;
  }

  /**
   * Returns the prompt tokens that follow each token of a slice: the row of logits of a token scores its follower. The
   * last prompt token has no follower.
   */
  followers({ position, tokens }: Pick<BatchPart, "position" | "tokens">): readonly number[] {
    return this.#promptTokens.slice(position + 1, position + 1 + tokens.length);
  }

  /**
   * Adds the scores of a slice.
   * @param probabilities log-probabilities of the {@link followers}
   */
  add(
    slice: Pick<BatchPart, "position" | "tokens">,
    probabilities: readonly LogProbabilities[],
  ): void {
    const followers = this.followers(slice);
    assert(probabilities.length === followers.length, "a prompt token has no row of logits");
    const [first] = this.#promptTokens;
    if (this.#length === 0 && first !== undefined) {
      this.#unreported.push({ ...toTokenText(first, this.#texts), top: [] });
      this.#length = 1;
    }
    assert(
      this.#length === slice.position + 1,
      "a slice of a prompt is scored before the previous one",
    );
    this.#length += followers.length;
    for (const [index, token] of followers.entries()) {
      const ofToken = probabilities[index];
      if (ofToken !== undefined) this.#unreported.push(toTokenScore(token, ofToken, this.#texts));
    }
  }

  /** Takes the scores that have not been reported yet. */
  take(): readonly PromptTokenScore[] {
    return this.#unreported.splice(0);
  }
}

/** Converts tokens to text. */
export type TokenTexts = Pick<GeneratedText, "bytesOf" | "controlTextOf">;

/** Returns the id and text of a token as plain data. */
export function toTokenText(token: number, texts: TokenTexts): TokenText {
  const controlText = texts.controlTextOf(token);
  return controlText === undefined
    ? { id: token, bytes: [...texts.bytesOf(token)] }
    : { id: token, bytes: [], controlText };
}

/** Returns a token with its log-probability and the top alternatives as plain data. */
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
