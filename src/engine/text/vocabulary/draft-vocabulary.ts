import type { LlamaModel } from "node-llama-cpp";

/** The tokens of a model that its draft model must share. */
export interface TokenTable {
  /** Text of each token, as written in the file. */
  readonly texts: readonly string[];
  /** Ids of special tokens, by purpose. */
  readonly special: Readonly<Record<string, number | undefined>>;
}

/** Reads the tokens of a loaded model. */
export function readTokenTable({ fileInfo, tokens }: LlamaModel): TokenTable {
  const { bos, eos, eot } = tokens;
  return {
    texts: fileInfo.metadata.tokenizer.ggml.tokens,
    special: {
      "beginning of text": bos ?? undefined,
      "end of text": eos ?? undefined,
      "end of turn": eot ?? undefined,
    },
  };
}

/**
 * Describes the first difference between a draft model's tokens and the main model's; `undefined`
 * if each token id has the same meaning in both.
 */
export function describeVocabularyDifference(
  main: TokenTable,
  draft: TokenTable,
): string | undefined {
  if (draft.texts.length !== main.texts.length) {
    return `${draft.texts.length} tokens instead of ${main.texts.length}`;
  }
  for (const [purpose, expected] of Object.entries(main.special)) {
    const got = draft.special[purpose];
    if (got !== expected) {
      return `the token for ${purpose} is ${got ?? "none"} instead of ${expected ?? "none"}`;
    }
  }
  const token = main.texts.findIndex((text, index) => text !== draft.texts[index]);
  if (token < 0) return undefined;
  const [got, expected] = [draft.texts[token], main.texts[token]].map((text) =>
    JSON.stringify(text),
  );
  return `token ${token} is ${got} instead of ${expected}`;
}
