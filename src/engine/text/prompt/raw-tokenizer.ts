import { refusalOf } from "../../../core/errors.js";
import type { InfillPrompt, MixedPrompt, RawPrompt } from "../../../core/generation-request.js";
import type { OutputFormat } from "../../../core/output-format.js";
import type { OutputReading } from "../output/output-reading.js";
import type { InfillTokens, Vocabulary } from "../vocabulary/vocabulary.js";
import { type PromptLimits, refuseOversizedText } from "./context-length.js";
import { rejectUnknownTokens } from "./known-tokens.js";
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
   * What begins with a text gets one BOS where the model uses one; token ids are taken as they are.
   * @throws {GgufdError} `context_length_exceeded` for texts that certainly do not fit, `invalid_request`
   *   for unknown token ids, `unsupported_parameter` for a gap that this model cannot fill
   */
  encode(prompt: RawPrompt): EncodedPrompt {
    return { tokens: this.#tokensOf(prompt), reading: this.#reading };
  }

  #tokensOf(prompt: RawPrompt): readonly number[] {
    const { field = "prompt" } = prompt;
    switch (prompt.type) {
      case "text":
        refuseOversizedText(prompt.text, this.#limits, field);
        return withBos(this.#vocabulary.tokenize(prompt.text, "parsed"), this.#vocabulary);
      case "tokens":
        rejectUnknownTokens(prompt.tokens, this.#vocabulary.size, (index) => `${field}.${index}`);
        return prompt.tokens;
      case "mixed":
        return this.#mixedTokens(prompt, field);
      case "infill":
        refuseOversizedText(textsOf(prompt).join(""), this.#limits, field);
        return withBos(this.#infillTokens(prompt), this.#vocabulary);
    }
  }

  #mixedTokens({ parts }: MixedPrompt, field: string): readonly number[] {
    const texts = parts.filter((part) => typeof part === "string");
    refuseOversizedText(texts.join(""), this.#limits, field);
    const tokens = parts.flatMap((part, index) => {
      if (typeof part === "string") return this.#vocabulary.tokenize(part, "parsed");
      rejectUnknownTokens([part], this.#vocabulary.size, () => `${field}.${index}`);
      return [part];
    });
    return typeof parts[0] === "string" ? withBos(tokens, this.#vocabulary) : tokens;
  }

  #infillTokens({ prefix, suffix, suffixField, files = [] }: InfillPrompt): readonly number[] {
    const { infill } = this.#vocabulary;
    if (infill === undefined) {
      const reason = "this model has no tokens for the texts around a gap";
      throw refusalOf("unsupported_parameter", [{ field: suffixField, reason }]);
    }
    const tokenize = (text: string) => this.#vocabulary.tokenize(text, "literal");
    return [
      ...(files.length > 0 ? fileTokens(files, infill, tokenize) : []),
      infill.prefix,
      ...tokenize(prefix),
      infill.suffix,
      ...tokenize(suffix),
      infill.middle,
    ];
  }
}

function textsOf({ prefix, suffix, files = [] }: InfillPrompt): readonly string[] {
  return [...files.flatMap(({ name, text }) => [name, text]), prefix, suffix];
}

/** Names that editors do not tell. */
const REPOSITORY_NAME = "repository";
const GAP_FILE_NAME = "file";

/**
 * Other files before the one with the gap, as models are trained on repositories (Hui et al.,
 * _Qwen2.5-Coder Technical Report_, 2024, section 3.2.2); for others, with headings.
 */
function fileTokens(
  files: NonNullable<InfillPrompt["files"]>,
  { repository, file }: InfillTokens,
  tokenize: (text: string) => readonly number[],
): readonly number[] {
  if (file === undefined) {
    return files.flatMap(({ name, text }) => tokenize(`\n\n--- ${name} ---\n\n${text}`));
  }
  return [
    ...(repository === undefined ? [] : [repository, ...tokenize(`${REPOSITORY_NAME}\n`)]),
    ...files.flatMap(({ name, text }) => [file, ...tokenize(`${name}\n${text}`)]),
    file,
    ...tokenize(`${GAP_FILE_NAME}\n`),
  ];
}
