import { type LlamaModel, LlamaVocabularyType } from "node-llama-cpp";

/** The tokens that a pooling model expects around a text. */
export interface TextFrame {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** A part of a reranking model's input: fixed tokens, or a text of the client. */
export type PairPart = readonly number[] | "query" | "document";

/** How a pooling model's inputs are framed. */
export interface InputFrames {
  readonly text: TextFrame;
  readonly pair: readonly PairPart[];
  /** Maximum number of characters in one token. */
  readonly charactersPerToken: number;
}

/**
 * Reads how a model frames its inputs: special tokens as in llama.cpp, and pairs as in
 * llama-server.
 */
export function readInputFrames(model: LlamaModel): InputFrames {
  const { bos, eos, sep, shouldPrependBosToken } = model.tokens;
  const isWordPiece = model.vocabularyType === LlamaVocabularyType.wpm;
  const first = shouldPrependBosToken || isWordPiece ? toTokens(bos) : [];
  const eosTokens = addsEos(model) ? toTokens(eos ?? sep) : [];
  const last = isWordPiece ? toTokens(sep) : eosTokens;
  const rerankTemplate = readText(model, "chat_template.rerank");
  return {
    text: { before: first, after: last },
    pair:
      rerankTemplate === undefined
        ? [
            first,
            "query",
            [...eosTokens, ...(addsSeparator(model) ? toTokens(sep) : [])],
            "document",
            eosTokens,
          ]
        : tokenizeTemplate(rerankTemplate, model),
    charactersPerToken: isWordPiece ? Number.POSITIVE_INFINITY : measureLongestToken(model),
  };
}

/**
 * Returns the length of the longest token. Not used for WordPiece, which reads an unknown word of
 * any length as one token.
 */
function measureLongestToken(model: LlamaModel): number {
  const { tokens: texts } = model.fileInfo.metadata.tokenizer.ggml;
  return texts.reduce((longest, text) => Math.max(longest, text.length), 1);
}

/**
 * Tokenizes the fixed texts of a template with control tokens; the texts that replace placeholders
 * are tokenized without.
 */
function tokenizeTemplate(template: string, model: LlamaModel): PairPart[] {
  return template.split(/(\{query\}|\{document\})/).map((piece) => {
    if (piece === "{query}") return "query";
    return piece === "{document}" ? "document" : model.tokenize(piece, true);
  });
}

/**
 * Reads the file's setting, or llama.cpp's default for the kind of vocabulary (`llama-vocab.cpp`).
 */
function addsEos(model: LlamaModel): boolean {
  return readFlag(model, "add_eos_token") ?? model.vocabularyType === LlamaVocabularyType.ugm;
}

/** Pre-tokenizers of BERT-like models whose vocabularies are not WordPiece. */
const SEPARATING_PRE_TOKENIZERS = ["jina-v1-en", "jina-v2-code", "roberta-bpe"];

function addsSeparator(model: LlamaModel): boolean {
  const isSeparating =
    model.vocabularyType === LlamaVocabularyType.wpm ||
    SEPARATING_PRE_TOKENIZERS.includes(String(readGgmlKeys(model).pre));
  return readFlag(model, "add_sep_token") ?? isSeparating;
}

function readFlag(model: LlamaModel, key: string): boolean | undefined {
  const value = readGgmlKeys(model)[key];
  return typeof value === "boolean" ? value : undefined;
}

function readGgmlKeys(model: LlamaModel): Readonly<Record<string, unknown>> {
  return { ...model.fileInfo.metadata.tokenizer.ggml };
}

function readText(model: LlamaModel, key: string): string | undefined {
  const keys: Readonly<Record<string, unknown>> = { ...model.fileInfo.metadata.tokenizer };
  const value = keys[key];
  return typeof value === "string" ? value : undefined;
}

function toTokens(token: number | null): readonly number[] {
  return token === null ? [] : [token];
}
