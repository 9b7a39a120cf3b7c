import { createRefusal, GgufdError } from "../../core/errors.js";
import type { PooledContent, PooledInput, PoolingRequest } from "../../core/pooling.js";
import { rejectUnknownTokens } from "../text/prompt/prompt-limits.js";
import type { InputFrames, PairPart } from "../text/vocabulary/input-frames.js";
import type { Vocabulary } from "../text/vocabulary/vocabulary.js";

export interface InputTokenizerOptions {
  readonly vocabulary: Pick<Vocabulary, "size" | "tokenize">;
  readonly frames: InputFrames;
  /** Maximum tokens of one input. */
  readonly maxTokens: number;
}

type InputLimits = Pick<PoolingRequest, "overlongInputs" | "maxInputTokens">;

/** Tokenizes the inputs of a pooling model. Clients' texts never become control tokens. */
export class InputTokenizer {
  readonly #options: InputTokenizerOptions;

  constructor(options: InputTokenizerOptions) {
    this.#options = options;
  }

  /**
   * Returns the tokens of one input, at most as many as the model can read.
   * @throws {GgufdError} `context_length_exceeded` for an input that is too long and must not be
   *   truncated, `invalid_request` for one without tokens and for unknown tokens
   */
  tokensOf(
    { content, field }: PooledInput,
    { overlongInputs: tooLong, maxInputTokens = Number.POSITIVE_INFINITY }: InputLimits,
  ): readonly number[] {
    const maxTokens = Math.min(this.#options.maxTokens, maxInputTokens);
    const tokens = this.#encodeContent(content, { field, tooLong, maxTokens });
    if (tokens.length > 0) return tokens;
    throw createRefusal("invalid_request", [{ field, reason: "expected at least one token" }]);
  }

  #encodeContent(content: PooledContent, lengthRule: LengthRule): readonly number[] {
    const { vocabulary } = this.#options;
    const { field, maxTokens } = lengthRule;
    switch (content.type) {
      case "text":
        return this.#encodeText(content.text, lengthRule);
      case "tokens":
        rejectUnknownTokens(content.tokens, vocabulary.size, (index) => `${field}.${index}`);
        return this.#shortenTokens(content.tokens, maxTokens, lengthRule);
      case "mixed":
        return this.#encodeMixed(content.parts, lengthRule);
      case "pair":
        return this.#encodePair(content, lengthRule);
    }
  }

  #encodeText(text: string, lengthRule: LengthRule): readonly number[] {
    const { before, after } = this.#options.frames.text;
    const room = lengthRule.maxTokens - before.length - after.length;
    return [...before, ...this.#tokenizeWithin(text, room, lengthRule), ...after];
  }

  /**
   * Joins texts and tokens as in llama-server, which adds special tokens only to a text at the
   * beginning.
   */
  #encodeMixed(parts: readonly (string | number)[], lengthRule: LengthRule): readonly number[] {
    const { vocabulary } = this.#options;
    const { maxTokens } = lengthRule;
    const tokens = parts.flatMap((part, index) => {
      if (typeof part === "string") {
        return index === 0
          ? this.#encodeText(part, lengthRule)
          : this.#tokenizeWithin(part, maxTokens, lengthRule);
      }
      rejectUnknownTokens([part], vocabulary.size, () => `${lengthRule.field}.${index}`);
      return [part];
    });
    return this.#shortenTokens(tokens, maxTokens, lengthRule);
  }

  /**
   * Joins a query and a document. If both are too long, the query keeps half of the available
   * tokens.
   */
  #encodePair(
    { query, document }: Extract<PooledContent, { type: "pair" }>,
    lengthRule: LengthRule,
  ): readonly number[] {
    const { frames } = this.#options;
    const specialTokens = frames.pair.reduce(
      (sum, part) => sum + (isText(part) ? 0 : part.length),
      0,
    );
    const room = lengthRule.maxTokens - specialTokens;
    const isTruncated = lengthRule.tooLong !== "refused";
    const queryTokens = this.#tokenizeWithin(query, isTruncated ? Math.ceil(room / 2) : room, {
      ...lengthRule,
      field: "query",
    });
    const documentTokens = this.#tokenizeWithin(document, room - queryTokens.length, lengthRule);
    return frames.pair.flatMap((part) => {
      if (part === "query") return queryTokens;
      return part === "document" ? documentTokens : part;
    });
  }

  #tokenizeWithin(text: string, room: number, lengthRule: LengthRule): readonly number[] {
    const { frames, vocabulary } = this.#options;
    // Text that is certainly too long is cut or rejected before it is tokenized, to save time.
    const maxCharacters = (Math.max(0, room) + 1) * frames.charactersPerToken;
    if (text.length > maxCharacters && lengthRule.tooLong === "refused") {
      throw createRefusalError(lengthRule, "more");
    }
    const part =
      lengthRule.tooLong === "cut-at-start"
        ? text.slice(-maxCharacters)
        : text.slice(0, maxCharacters);
    return this.#shortenTokens(vocabulary.tokenize(part, "literal"), room, lengthRule);
  }

  #shortenTokens(
    tokens: readonly number[],
    room: number,
    lengthRule: LengthRule,
  ): readonly number[] {
    if (tokens.length <= room) return tokens;
    switch (lengthRule.tooLong) {
      case "refused":
        throw createRefusalError(lengthRule, String(tokens.length + lengthRule.maxTokens - room));
      case "cut-at-end":
        return tokens.slice(0, Math.max(0, room));
      case "cut-at-start":
        return room > 0 ? tokens.slice(-room) : [];
    }
  }
}

function createRefusalError({ field, maxTokens }: LengthRule, tokens: string): GgufdError {
  const reason = `expected at most ${maxTokens} tokens, including special tokens, got ${tokens}`;
  return new GgufdError(
    "context_length_exceeded",
    `This model's maximum context length is ${maxTokens} tokens. ${field}: ${reason}.`,
    { param: field, details: [{ field, reason }] },
  );
}

interface LengthRule {
  readonly field: string;
  readonly tooLong: InputLimits["overlongInputs"];
  /** Maximum tokens of the input. */
  readonly maxTokens: number;
}

function isText(part: PairPart): part is "query" | "document" {
  return typeof part === "string";
}
