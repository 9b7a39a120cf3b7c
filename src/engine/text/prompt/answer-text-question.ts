import { GgufdError } from "../../../core/errors.js";
import type { TextAnswer, TextQuestion, TokenPieces } from "../../../core/text-question.js";
import type { Vocabulary } from "../vocabulary/vocabulary.js";
import { rejectUnknownTokens } from "./prompt-limits.js";
import { type PromptTokenizer, type RawTokenizer, withBos } from "./prompt-tokenizer.js";

/** Tokenizers for questions about prompts. */
export interface Tokenizers {
  readonly tokenizer: Pick<PromptTokenizer, "render">;
  readonly rawTokenizer: Pick<RawTokenizer, "encode">;
}

/** Tokenizers of a model that does not generate, and so has no prompts. */
export const noPrompts: Tokenizers = {
  tokenizer: {
    render() {
      throw new GgufdError(
        "chat_template_error",
        "This model cannot chat: it has no chat template.",
      );
    },
  },
  rawTokenizer: {
    encode() {
      throw new Error("a prompt question was sent to a pooling model");
    },
  },
};

/** Answers a question; see {@link TextService}. */
export function answerTextQuestion(
  question: TextQuestion,
  vocabulary: Vocabulary,
  { tokenizer, rawTokenizer }: Tokenizers,
): TextAnswer {
  switch (question.type) {
    case "tokenize": {
      const { text, beginning, controlTokens } = question;
      const tokensWithoutBos = vocabulary.tokenize(text, controlTokens);
      const tokens = Uint32Array.from(
        beginning === "model" ? withBos(tokensWithoutBos, vocabulary) : tokensWithoutBos,
      );
      if (question.pieces === "unwanted") return { type: "tokens", tokens };
      return { type: "tokens", tokens, pieces: piecesOf(tokens, vocabulary) };
    }
    case "detokenize":
      return { type: "text", text: textOf(question.tokens, vocabulary) };
    case "evaluated-text":
      return {
        type: "text",
        text: textOf(rawTokenizer.encode(question.prompt).tokens, vocabulary),
      };
    case "render":
      return { type: "text", text: tokenizer.render(question.prompt, question.ending) };
  }
}

function piecesOf(tokens: Uint32Array, vocabulary: Vocabulary): TokenPieces {
  const ends = new Uint32Array(tokens.length);
  let length = 0;
  for (const [index, token] of tokens.entries()) {
    length += pieceOf(token, vocabulary).length;
    ends[index] = length;
  }
  const bytes = new Uint8Array(length);
  for (const [index, token] of tokens.entries()) {
    bytes.set(pieceOf(token, vocabulary), ends[index - 1] ?? 0);
  }
  return { bytes, ends };
}

/** Decodes tokens; bytes that are not valid UTF-8 become replacement characters. */
function textOf(tokens: readonly number[], vocabulary: Vocabulary): string {
  rejectUnknownTokens(tokens, vocabulary.size, (index) => `tokens.${index}`);
  return Buffer.concat(tokens.map((token) => pieceOf(token, vocabulary))).toString();
}

function pieceOf(token: number, { bytesOf, controlTextOf }: Vocabulary): Uint8Array {
  const name = controlTextOf(token);
  return name === undefined ? bytesOf(token) : Buffer.from(name);
}
