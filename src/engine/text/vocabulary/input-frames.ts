import { type LlamaModel, LlamaVocabularyType } from "node-llama-cpp";

/** The tokens that a pooling model wants around a text. */
export interface TextFrame {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** A part of what a reranking model reads: tokens of its own, or a text of the client's. */
export type PairPart = readonly number[] | "query" | "document";

/** How a pooling model's inputs are framed. */
export interface InputFrames {
  readonly text: TextFrame;
  readonly pair: readonly PairPart[];
  /** How many characters of a text one token may stand for at most. */
  readonly charactersPerToken: number;
}

/** Reads how a model wants its inputs: as llama.cpp adds special tokens, and as llama-server writes pairs. */
export function readInputFrames(model: LlamaModel): InputFrames {
  const { bos, eos, sep, shouldPrependBosToken } = model.tokens;
  const isWordPiece = model.vocabularyType === LlamaVocabularyType.wpm;
  const first = shouldPrependBosToken || isWordPiece ? tokens(bos) : [];
  const eosTokens = addsEos(model) ? tokens(eos ?? sep) : [];
  const last = isWordPiece ? tokens(sep) : eosTokens;
  const rerankTemplate = textAt(model, "chat_template.rerank");
  return {
    text: { before: first, after: last },
    pair:
      rerankTemplate === undefined
        ? [
            first,
            "query",
            [...eosTokens, ...(addsSeparator(model) ? tokens(sep) : [])],
            "document",
            eosTokens,
          ]
        : templateParts(rerankTemplate, model),
    charactersPerToken: isWordPiece ? Number.POSITIVE_INFINITY : longestToken(model),
  };
}

/** WordPiece reads a word that it does not know as one token, however long it is. */
function longestToken(model: LlamaModel): number {
  const { tokens: texts } = model.fileInfo.metadata.tokenizer.ggml;
  return texts.reduce((longest, text) => Math.max(longest, text.length), 1);
}

/** The texts between a template's placeholders are tokenised with control tokens, what fills them is not. */
function templateParts(template: string, model: LlamaModel): PairPart[] {
  return template.split(/(\{query\}|\{document\})/).map((piece) => {
    if (piece === "{query}") return "query";
    return piece === "{document}" ? "document" : model.tokenize(piece, true);
  });
}

/** A file's own word, or llama.cpp's default for the kind of vocabulary (`llama-vocab.cpp`). */
function addsEos(model: LlamaModel): boolean {
  return flagAt(model, "add_eos_token") ?? model.vocabularyType === LlamaVocabularyType.ugm;
}

/** Pre-tokenizers of BERT-like models whose vocabularies are no WordPiece ones. */
const SEPARATING_PRE_TOKENIZERS = ["jina-v1-en", "jina-v2-code", "roberta-bpe"];

function addsSeparator(model: LlamaModel): boolean {
  const isSeparating =
    model.vocabularyType === LlamaVocabularyType.wpm ||
    SEPARATING_PRE_TOKENIZERS.includes(String(ggmlKeys(model).pre));
  return flagAt(model, "add_sep_token") ?? isSeparating;
}

function flagAt(model: LlamaModel, key: string): boolean | undefined {
  const value = ggmlKeys(model)[key];
  return typeof value === "boolean" ? value : undefined;
}

function ggmlKeys(model: LlamaModel): Readonly<Record<string, unknown>> {
  return { ...model.fileInfo.metadata.tokenizer.ggml };
}

function textAt(model: LlamaModel, key: string): string | undefined {
  const keys: Readonly<Record<string, unknown>> = { ...model.fileInfo.metadata.tokenizer };
  const value = keys[key];
  return typeof value === "string" ? value : undefined;
}

function tokens(token: number | null): readonly number[] {
  return token === null ? [] : [token];
}
