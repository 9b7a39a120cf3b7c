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
  readonly #unreadProbabilities: LogProbabilities[] = [];
  /** Scores of tokens that have been read, if scores of all tokens are reported. */
  readonly #allScores: TokenScore[] | undefined;
  readonly #textScores = new ReportedScores();

  constructor(texts: TokenTexts, scope: GenerationRequest["scoredTokens"] = "answer-text") {
    this.#texts = texts;
    this.#allScores = scope === "all" ? [] : undefined;
  }

  /** Adds the log-probabilities of the next generated token. */
  push(probabilities: LogProbabilities): void {
    this.#unreadProbabilities.push(probabilities);
  }

  /** Reads a token: its text comes next. Tokens must be read in order. */
  read(token: number): void {
    const probabilities = this.#unreadProbabilities.shift();
    if (probabilities === undefined) return;
    const score = toTokenScore(token, probabilities, this.#texts);
    if (this.#allScores !== undefined) this.#allScores.push(score);
    else if (score.controlText !== undefined) this.#textScores.pushControlToken();
    else this.#textScores.push(score);
  }

  /** Reads the end-of-generation token. */
  readEnd(token: number): void {
    if (this.#allScores !== undefined) this.read(token);
  }

  /**
   * Takes the scores to report with a text. Scores of earlier tokens are dropped, unless scores of all tokens are
   * reported.
   */
  takeWith(spans: readonly TextSpan[]): readonly TokenScore[] {
    return this.#allScores?.splice(0) ?? this.#textScores.take(spans);
  }

  /** Takes the scores to report when the answer ends; `undefined`: all were reported with its texts. */
  takeRemaining(): readonly TokenScore[] | undefined {
    return this.#allScores?.splice(0);
  }
}

/** Log-probabilities of a prompt's tokens, collected as its slices are evaluated. */
export class PromptScores {
  readonly #promptTokens: readonly number[];
  readonly #texts: TokenTexts;
  /** Number of prompt tokens that have been scored. */
  #scoredLength = 0;
  #unreportedScores: PromptTokenScore[] = [];

  constructor(promptTokens: readonly number[], texts: TokenTexts) {
    this.#promptTokens = promptTokens;
    this.#texts = texts;
  }

  /** Whether the last prompt token has been scored. */
  get isWhole(): boolean {
    return this.#scoredLength >= this.#promptTokens.length;
  }

  /**
   * Returns the prompt tokens that follow each token of a slice: the row of logits of a token scores its follower. The
   * last prompt token has no follower.
   */
  findFollowers({ position, tokens }: Pick<BatchPart, "position" | "tokens">): readonly number[] {
    return this.#promptTokens.slice(position + 1, position + 1 + tokens.length);
  }

  /**
   * Adds the scores of a slice.
   * @param probabilities log-probabilities of the {@link findFollowers}
   */
  add(
    slice: Pick<BatchPart, "position" | "tokens">,
    probabilities: readonly LogProbabilities[],
  ): void {
    const followers = this.findFollowers(slice);
    assert(probabilities.length === followers.length, "a prompt token has no row of logits");
    const [first] = this.#promptTokens;
    if (this.#scoredLength === 0 && first !== undefined) {
      this.#unreportedScores.push({ ...toTokenText(first, this.#texts), top: [] });
      this.#scoredLength = 1;
    }
    assert(
      this.#scoredLength === slice.position + 1,
      "a slice of a prompt is scored before the previous one",
    );
    this.#scoredLength += followers.length;
    for (const [index, token] of followers.entries()) {
      const tokenProbabilities = probabilities[index];
      if (tokenProbabilities !== undefined)
        this.#unreportedScores.push(toTokenScore(token, tokenProbabilities, this.#texts));
    }
  }

  /** Takes the scores that have not been reported yet. */
  take(): readonly PromptTokenScore[] {
    return this.#unreportedScores.splice(0);
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
