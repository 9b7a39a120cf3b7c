import type { TokenScore, TokenText } from "../../core/generation-event.js";
import type { LogProbabilities } from "../native/token-context.js";
import type { GeneratedText } from "../text/output/generated-text.js";

/** How tokens are written. */
export type TokenTexts = Pick<GeneratedText, "bytesOf" | "controlTextOf">;

/** What a token stands for, as plain data. */
export function toTokenText(token: number, texts: TokenTexts): TokenText {
  const controlText = texts.controlTextOf(token);
  return controlText === undefined
    ? { id: token, bytes: [...texts.bytesOf(token)] }
    : { id: token, bytes: [], controlText };
}

/** A token with what the model gave it, as plain data. */
export function toTokenScore(
  token: number,
  { logProbability, top }: LogProbabilities,
  texts: TokenTexts,
): TokenScore {
  return {
    ...toTokenText(token, texts),
    logProbability,
    top: top.map((other) => ({
      ...toTokenText(other.token, texts),
      logProbability: other.logProbability,
    })),
  };
}
