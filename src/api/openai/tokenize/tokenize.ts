import { LazyList } from "../../../core/lazy-list.js";
import { pieceAt, type TextAnswer, type TextQuestion } from "../../../core/text-question.js";
import { textOfBytes } from "../text-of-bytes.js";
import type { TokenizeRequest, TokenizeResponse } from "./schema.js";

/** The question of `POST /tokenize`: vLLM's clients expect a BOS, llama.cpp's do not. */
export function toQuestion(body: TokenizeRequest): TextQuestion {
  const { content, prompt, add_special: llamaCpp = false, add_special_tokens: vllm = true } = body;
  const hasBeginning = prompt === undefined ? llamaCpp : vllm;
  return {
    type: "tokenize",
    text: prompt ?? content ?? "",
    beginning: hasBeginning ? "model" : "bare",
    controlTokens: body.parse_special === false ? "literal" : "parsed",
    pieces: body.with_pieces || body.return_token_strs ? "wanted" : "unwanted",
  };
}

/** The answer of `POST /tokenize`, whose tokens are printed one by one. */
export function toTokenizeResponse(
  { tokens, pieces }: Extract<TextAnswer, { type: "tokens" }>,
  { with_pieces: withPieces, return_token_strs: withTexts }: TokenizeRequest,
  maxRequestTokens: number,
): LazyTokenizeResponse {
  const bytesAt = (index: number) =>
    pieces === undefined ? new Uint8Array() : pieceAt(pieces, index);
  const tokenAt = (index: number) => tokens[index] ?? 0;
  return {
    tokens: withPieces
      ? new LazyList(tokens.length, (index) => ({
          id: tokenAt(index),
          piece: pieceOf(bytesAt(index)),
        }))
      : new LazyList(tokens.length, tokenAt),
    count: tokens.length,
    max_model_len: maxRequestTokens,
    ...(withTexts && {
      token_strs: new LazyList(tokens.length, (index) => Buffer.from(bytesAt(index)).toString()),
    }),
  };
}

interface LazyTokenizeResponse extends Omit<TokenizeResponse, "tokens" | "token_strs"> {
  readonly tokens: LazyList<TokenizeResponse["tokens"][number]>;
  readonly token_strs?: LazyList<string>;
}

/** As llama-server writes pieces: bytes where they are no text. */
function pieceOf(bytes: Uint8Array): string | number[] {
  return textOfBytes(bytes) ?? [...bytes];
}
