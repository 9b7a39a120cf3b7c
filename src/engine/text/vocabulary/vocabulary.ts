import { type LlamaModel, LlamaVocabularyType, type Token } from "node-llama-cpp";
import { buildControlTokenPattern, splitIntoPieces } from "./control-tokens.js";
import { decodeToken, type EncodedToken, type TokenEncoding } from "./token-bytes.js";

/** Infill tokens that precede the text before a gap, the text after it, and the infilled text. */
export interface InfillTokens {
  readonly prefix: number;
  readonly suffix: number;
  readonly middle: number;
  /**
   * Tokens that precede a repository's name and a file's name, if the model supports several files.
   */
  readonly repository?: number;
  readonly file?: number;
}

/** A model's tokens, read once when the model is loaded. */
export interface Vocabulary {
  readonly size: number;
  /** UTF-16 code units of the longest token. */
  readonly longestToken: number;
  /** BOS prepended to prompts that do not begin with it; `undefined` for models without one. */
  readonly prependedBos: number | undefined;
  readonly bosText: string;
  readonly eosText: string;
  /** Tokens that end a generation. */
  readonly endOfGeneration: ReadonlySet<number>;
  /** Texts of control tokens, such as `<|im_start|>`, and of the unknown token. */
  readonly controlTexts: readonly string[];
  /** Returns the text of a control token; `undefined` for other tokens. */
  readonly controlTextOf: (token: number) => string | undefined;
  /** Tokens for infilling; `undefined` for models that do not support it. */
  readonly infill: InfillTokens | undefined;
  /** Returns the token ids of a text, without BOS. */
  tokenize(text: string, controlTokens: "parsed" | "literal"): number[];
  /** Returns the bytes of a token; none for control tokens. */
  readonly bytesOf: (token: number) => Uint8Array;
}

/** Reads the vocabulary of a loaded model. */
export function readVocabulary(model: LlamaModel): Vocabulary {
  const endOfGeneration = new Set<number>();
  const controlTexts: string[] = [];
  const strippingTexts = new Set<string>();
  const textsOfControl = new Map<number, string>();
  let size = 0;
  for (const token of model.iterateAllTokens()) {
    size++;
    if (model.isEogToken(token)) endOfGeneration.add(token);
    const { control, unknown, lstrip } = model.getTokenAttributes(token);
    // llama.cpp parses both kinds if control tokens are to be parsed.
    if (!control && !unknown) continue;
    const text = model.detokenize([token], true);
    controlTexts.push(text);
    if (control) textsOfControl.set(token, text);
    if (lstrip) strippingTexts.add(text);
  }
  const pattern = buildControlTokenPattern(controlTexts);
  const { bos, bosString, eosString, shouldPrependBosToken } = model.tokens;
  const { tokens: texts } = model.fileInfo.metadata.tokenizer.ggml;
  return {
    size,
    longestToken: texts.reduce((longest, text) => Math.max(longest, text.length), 1),
    prependedBos: shouldPrependBosToken && bos !== null ? bos : undefined,
    bosText: bosString ?? "",
    eosText: eosString ?? "",
    endOfGeneration,
    controlTexts,
    controlTextOf: (token) => textsOfControl.get(token),
    infill: infillTokensOf(model),
    tokenize: (text, controlTokens) => {
      if (controlTokens === "literal") return model.tokenize(text, false);
      const pieces = [...splitIntoPieces(text, pattern, strippingTexts)];
      return pieces.flatMap((piece) => model.tokenize(piece, true));
    },
    bytesOf: createBytesReader(model),
  };
}

function infillTokensOf(model: LlamaModel): InfillTokens | undefined {
  const { prefix, suffix, middle } = model.tokens.infill;
  if (prefix === null || suffix === null || middle === null) return undefined;
  return {
    prefix,
    suffix,
    middle,
    repository: findFirstToken(model, REPOSITORY_TOKENS),
    file: findFirstToken(model, FILE_TOKENS),
  };
}

/** Names of the tokens in models trained on repositories, as searched by llama.cpp. */
const REPOSITORY_TOKENS = ["<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"];
const FILE_TOKENS = ["<|file_sep|>"];

/** Returns the first of these names that is a single token. */
function findFirstToken(model: LlamaModel, names: readonly string[]): number | undefined {
  const tokens = names.map((name) => model.tokenize(name, true));
  return tokens.find(({ length }) => length === 1)?.[0];
}

/** Creates a reader that computes each token's bytes when first requested. */
function createBytesReader(model: LlamaModel): Vocabulary["bytesOf"] {
  const { tokens: texts, model: family } = model.fileInfo.metadata.tokenizer.ggml;
  const encoding = encodingOf(model.vocabularyType, family);
  const cache: (Uint8Array | undefined)[] = [];
  return (token) => {
    cache[token] ??=
      encoding === undefined
        ? Buffer.from(model.detokenize([token as Token], false))
        : decodeToken({ text: texts[token] ?? "", kind: kindOf(model, token as Token) }, encoding);
    return cache[token];
  };
}

/**
 * Returns `undefined` for rare kinds of vocabularies, whose tokens the library detokenizes itself.
 */
function encodingOf(type: LlamaVocabularyType, family: string): TokenEncoding | undefined {
  switch (type) {
    case LlamaVocabularyType.bpe:
      // Gemma 4 merges byte pairs of text in which spaces are written as in SentencePiece.
      return family === "gemma4" ? "sentencepiece" : "byte-alphabet";
    case LlamaVocabularyType.spm:
    case LlamaVocabularyType.ugm:
    case LlamaVocabularyType.wpm:
      return "sentencepiece";
    default:
      return undefined;
  }
}

function kindOf(model: LlamaModel, token: Token): EncodedToken["kind"] {
  const { control, unknown, userDefined, normal, byte } = model.getTokenAttributes(token);
  if (control || unknown) return "silent";
  if (userDefined) return "literal";
  if (normal) return "normal";
  return byte ? "byte" : "silent";
}

/** A character that tokenizers never merge with others. */
const SEPARATOR = "\u0001";

/**
 * Creates a tokenizer of texts that continue others. Many SentencePiece vocabularies put a space
 * before any text; tokenizing after a separator, which is removed again, avoids it.
 */
export function createContinuationTokenizer({
  tokenize,
  bytesOf,
}: Pick<Vocabulary, "tokenize" | "bytesOf">): (text: string) => readonly number[] {
  const literal = (text: string) => tokenize(text, "literal");
  const [first] = literal("a");
  const putsSpaceBefore = first !== undefined && bytesOf(first)[0] === " ".charCodeAt(0);
  if (!putsSpaceBefore) return literal;
  const separator = literal(SEPARATOR);
  return (text) => {
    const tokens = literal(SEPARATOR + text);
    const isSeparate = separator.every((token, index) => token === tokens[index]);
    return isSeparate ? tokens.slice(separator.length) : literal(text);
  };
}
