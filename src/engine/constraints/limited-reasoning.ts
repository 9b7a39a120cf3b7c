import assert from "node:assert/strict";
import type { GeneratedText } from "../text/output/generated-text.js";
import type { OutputParser } from "../text/output/output-parser.js";
import type { ReasoningLimit } from "../text/prompt/prepared-generation.js";
import type { GenerationConstraint } from "./grammar-progress.js";

export interface LimitedReasoningOptions {
  readonly limit: ReasoningLimit;
  /** Parser and text used only by this constraint; the text has no stop strings. */
  readonly parser: OutputParser;
  readonly text: GeneratedText;
  readonly tokenize: (text: string, controlTokens: "parsed" | "literal") => readonly number[];
  /** Another constraint on the answer, if any. */
  readonly constraint?: GenerationConstraint | undefined;
}

/** Bytes of the longest character in UTF-8. */
const LONGEST_CHARACTER_BYTES = 4;

/**
 * Ends reasoning when it has used its token budget, or at once if the budget is 0: the closing mark
 * is forced, like the fixed text of a grammar. The output parser defines what counts as reasoning.
 * The constraint parses the answer itself, token by token, because the answer's events are delayed.
 *
 * A character is never cut: it may use up to three more tokens. A closing mark that the inner
 * constraint does not allow, e.g. in text that only looks like reasoning, is omitted.
 */
export class LimitedReasoning implements GenerationConstraint {
  readonly #options: LimitedReasoningOptions;
  #maxTokens: number;
  #tokens = 0;
  /** Tokens of the closing mark that are still to be written. */
  #pendingClosing: readonly number[] = [];
  /** End of the text, with at most the length of the closing mark and no control token. */
  #recentText = "";
  /** Last bytes of the text, one fewer than the longest character has. */
  #recentBytes: readonly number[] = [];

  constructor(options: LimitedReasoningOptions) {
    this.#options = options;
    this.#maxTokens = options.limit.maxTokens;
    this.#closeIfUsedUp();
  }

  /** Closes the reasoning after the next token. @returns whether there is reasoning to close */
  end(): boolean {
    if (!this.#options.parser.isReasoning) return false;
    this.#maxTokens = Math.min(this.#maxTokens, this.#tokens);
    return true;
  }

  get isComplete(): boolean {
    return this.#options.constraint?.isComplete ?? false;
  }

  allows(token: number): boolean {
    return this.#options.constraint?.allows(token) ?? true;
  }

  allowedTokens(): Uint32Array {
    const { constraint } = this.#options;
    assert(constraint !== undefined, "no mask: without a constraint, every token is allowed");
    return constraint.allowedTokens();
  }

  forcedTokens(maxTokens: number): readonly number[] {
    const { constraint } = this.#options;
    const [next] = this.#pendingClosing;
    if (constraint === undefined) return this.#pendingClosing.slice(0, maxTokens);
    if (next === undefined || !constraint.allows(next)) return constraint.forcedTokens(maxTokens);
    return [next].slice(0, maxTokens);
  }

  accept(token: number): void {
    const { constraint, parser } = this.#options;
    constraint?.accept(token);
    const wasReasoning = parser.isReasoning;
    this.#read(token);
    if (this.#pendingClosing.length > 0) {
      this.#follow(token);
      return;
    }
    if (wasReasoning && parser.isReasoning) this.#tokens++;
    this.#closeIfUsedUp();
  }

  #read(token: number): void {
    const { parser, text } = this.#options;
    const bytes = text.bytesOf(token);
    this.#recentBytes = [...this.#recentBytes, ...bytes].slice(1 - LONGEST_CHARACTER_BYTES);
    for (const piece of text.push(token).pieces) {
      parser.push(piece);
      this.#recentText = piece.type === "text" ? this.#recentText + piece.text : "";
    }
    this.#recentText = this.#recentText.slice(-this.#options.limit.closing.mark.length);
  }

  /**
   * Advances by the next token of the closing mark. If the mark was not written, or did not end
   * reasoning, it is not forced again.
   */
  #follow(token: number): void {
    const [next, ...rest] = this.#pendingClosing;
    this.#pendingClosing = token === next ? rest : [];
    const isWithoutEffect = rest.length === 0 && this.#options.parser.isReasoning;
    if (token !== next || isWithoutEffect) this.#maxTokens = Number.POSITIVE_INFINITY;
  }

  #closeIfUsedUp(): void {
    if (!this.#options.parser.isReasoning || this.#tokens < this.#maxTokens) return;
    const hardLimit = this.#maxTokens + LONGEST_CHARACTER_BYTES - 1;
    if (this.#tokens < hardLimit && endsInsideCharacter(this.#recentBytes)) return;
    this.#pendingClosing = this.#findRestOfMark() ?? this.#buildClosing();
  }

  /**
   * Returns the rest of a closing mark that the model has begun; `undefined` if it has not begun
   * one, or if the rest cannot be tokenized as separate text.
   */
  #findRestOfMark(): readonly number[] | undefined {
    const { limit, tokenize } = this.#options;
    const { mark, lineBreaksAfter } = limit.closing;
    const markBeginning = findPartialMark(mark, this.#recentText);
    if (markBeginning === "" || !this.#areText(tokenize(mark, "parsed"), mark)) return undefined;
    const rest = mark.slice(markBeginning.length) + lineBreaksAfter;
    const tokens = tokenize(rest, "literal");
    return this.#areText(tokens, rest) ? tokens : undefined;
  }

  /**
   * Returns whether tokens spell exactly this text. They may not, because some vocabularies prepend
   * a space, and a mark may be a control token.
   */
  #areText(tokens: readonly number[], text: string): boolean {
    const bytes = tokens.flatMap((token) => [...this.#options.text.bytesOf(token)]);
    return Buffer.from(bytes).equals(Buffer.from(text));
  }

  #buildClosing(): readonly number[] {
    const { limit, tokenize } = this.#options;
    const { closing, message = "" } = limit;
    const { before, mark, lineBreaksAfter } = closing;
    const hasSpace = (this.#recentText + message).endsWith(before);
    return [
      ...tokenize(message, "literal"),
      ...tokenize((hasSpace ? "" : before) + mark + lineBreaksAfter, "parsed"),
    ];
  }
}

/** Returns whether bytes of UTF-8 end within a character, which further bytes may complete. */
function endsInsideCharacter(bytes: readonly number[]): boolean {
  for (let count = 1; count < LONGEST_CHARACTER_BYTES; count++) {
    const byte = bytes.at(-count);
    if (byte === undefined || byte < 0x80) return false;
    if (byte >= 0xc0) return countCharacterBytes(byte) > count;
  }
  return false;
}

function countCharacterBytes(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}

/** A shorter beginning, such as `<`, does not count as the start of a mark. */
const MIN_BEGINNING_CHARACTERS = 2;

/** Returns the longest proper prefix of a mark that a text ends with. */
function findPartialMark(mark: string, text: string): string {
  for (let length = mark.length - 1; length >= MIN_BEGINNING_CHARACTERS; length--) {
    if (text.endsWith(mark.slice(0, length))) return mark.slice(0, length);
  }
  return "";
}
