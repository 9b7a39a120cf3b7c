import type { TextAnswer, TextQuestion } from "../../../core/text-question.js";
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

/** The answer of `POST /tokenize`. */
export function toTokenizeResponse(
  { tokens, pieces = [] }: Extract<TextAnswer, { type: "tokens" }>,
  { with_pieces: withPieces, return_token_strs: withTexts }: TokenizeRequest,
  maxRequestTokens: number,
): TokenizeResponse {
  return {
    tokens: withPieces
      ? tokens.map((id, index) => ({ id, piece: pieceOf(pieces[index] ?? new Uint8Array()) }))
      : [...tokens],
    count: tokens.length,
    max_model_len: maxRequestTokens,
    ...(withTexts && { token_strs: pieces.map((bytes) => Buffer.from(bytes).toString()) }),
  };
}

/** As llama-server writes pieces: bytes where they are no text. */
function pieceOf(bytes: Uint8Array): string | number[] {
  return textOfBytes(bytes) ?? [...bytes];
}
