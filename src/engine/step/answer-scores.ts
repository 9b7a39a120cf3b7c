import type { TokenScore } from "../../core/generation-event.js";
import type { GenerationRequest } from "../../core/generation-request.js";
import type { LogProbabilities } from "../native/token-context.js";
import type { TextSpan } from "../text/output/output-piece.js";
import { ReportedScores } from "../text/output/reported-scores.js";
import { type TokenTexts, toTokenScore } from "./scored-token.js";

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
