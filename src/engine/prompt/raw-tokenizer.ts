import { refusalOf } from "../../core/errors.js";
import type { InfillPrompt, OutputReading, RawPrompt } from "../../core/generation-request.js";
import type { OutputFormat } from "../../core/output-format.js";
import type { Vocabulary } from "../llama/vocabulary/vocabulary.js";
import { type PromptLimits, refuseOversizedText } from "./context-length.js";
import type { EncodedPrompt } from "./prepare-generation.js";
import { withBos } from "./with-bos.js";

export interface RawTokenizerOptions {
  readonly outputFormat: OutputFormat;
  /** Tokens of one slot: longer prompts are rejected as early as possible. */
  readonly contextSize: number;
}

/** Tokenises prompts without messages. */
export class RawTokenizer {
  readonly #vocabulary: Vocabulary;
  readonly #limits: PromptLimits;
  readonly #reading: OutputReading;

  constructor(vocabulary: Vocabulary, { outputFormat, contextSize }: RawTokenizerOptions) {
    this.#vocabulary = vocabulary;
    this.#limits = { contextSize, longestToken: vocabulary.longestToken };
    this.#reading = { ...outputFormat, beginsWith: "raw-text", toolCalls: "ignored", tools: [] };
  }

  /**
   * Texts get one BOS where the model uses one; token ids are taken as they are.
   * @throws {GgufdError} `context_length_exceeded` for texts that certainly do not fit, `invalid_request`
   *   for unknown token ids, `unsupported_parameter` for a gap that this model cannot fill
   */
  encode(prompt: RawPrompt): EncodedPrompt {
    return { tokens: this.#tokensOf(prompt), reading: this.#reading };
  }

  #tokensOf(prompt: RawPrompt): readonly number[] {
    switch (prompt.type) {
      case "text":
        refuseOversizedText(prompt.text, this.#limits, "prompt");
        return withBos(this.#vocabulary.tokenize(prompt.text, "parsed"), this.#vocabulary);
      case "tokens":
        this.#refuseUnknown(prompt.tokens);
        return prompt.tokens;
      case "infill":
        refuseOversizedText(prompt.prefix + prompt.suffix, this.#limits, "prompt");
        return withBos(this.#infillTokens(prompt), this.#vocabulary);
    }
  }

  #infillTokens({ prefix, suffix }: InfillPrompt): readonly number[] {
    const { infill } = this.#vocabulary;
    if (infill === undefined) {
      const reason = "this model has no tokens for the texts around a gap";
      throw refusalOf("unsupported_parameter", [{ field: "suffix", reason }]);
    }
    return [
      infill.prefix,
      ...this.#vocabulary.tokenize(prefix, "literal"),
      infill.suffix,
      ...this.#vocabulary.tokenize(suffix, "literal"),
      infill.middle,
    ];
  }

  #refuseUnknown(tokens: readonly number[]): void {
    const { size } = this.#vocabulary;
    const index = tokens.findIndex((token) => token >= size);
    if (index < 0) return;
    const reason = `expected a token id from 0 to ${size - 1}, got ${tokens[index]}`;
    throw refusalOf("invalid_request", [{ field: `prompt.${index}`, reason }]);
  }
}
