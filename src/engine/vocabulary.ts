import type { LlamaModel, Token } from "node-llama-cpp";

/** What the engine knows of a model's tokens. Read once, when the model is loaded. */
export interface Vocabulary {
  readonly size: number;
  /** Put before a prompt that does not begin with it; absent for models that want none. */
  readonly prependedBos: number | undefined;
  readonly bosText: string;
  readonly eosText: string;
  /** Tokens that end a generation. */
  readonly endOfGeneration: ReadonlySet<number>;
  /** Texts of control tokens, such as `<|im_start|>`, and of the unknown token. */
  readonly controlTexts: readonly string[];
  /** Token ids of a text, without BOS. */
  tokenize(text: string, controlTokens: "parsed" | "literal"): number[];
  /** Text of tokens, given those before them; control tokens have no text. */
  detokenize(tokens: readonly number[], before: readonly number[]): string;
}

/** Reads the vocabulary of a loaded model. */
export function readVocabulary(model: LlamaModel): Vocabulary {
  const endOfGeneration = new Set<number>();
  const controlTexts: string[] = [];
  let size = 0;
  for (const token of model.iterateAllTokens()) {
    size++;
    if (model.isEogToken(token)) endOfGeneration.add(token);
    const { control, unknown } = model.getTokenAttributes(token);
    // llama.cpp reads both kinds from a text whose control tokens are parsed.
    if (control || unknown) controlTexts.push(model.detokenize([token], true));
  }
  const { bos, bosString, eosString, shouldPrependBosToken } = model.tokens;
  return {
    size,
    prependedBos: shouldPrependBosToken && bos !== null ? bos : undefined,
    bosText: bosString ?? "",
    eosText: eosString ?? "",
    endOfGeneration,
    controlTexts,
    tokenize: (text, controlTokens) => model.tokenize(text, controlTokens === "parsed"),
    detokenize: (tokens, before) =>
      model.detokenize(tokens as readonly Token[], false, before as readonly Token[]),
  };
}
