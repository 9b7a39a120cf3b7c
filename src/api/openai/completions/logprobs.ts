import type {
  PromptTokenScore,
  ScoredToken,
  TokenScore,
  TokenText,
} from "../../../core/generation-event.js";
import { toLogprob } from "../logprobs.js";
import { textOfBytes } from "../text-of-bytes.js";
import { promptOffsets } from "./prompt-offsets.js";
import type { TextLogprobs } from "./response-schema.js";
import type { TextOffsets } from "./text-offsets.js";

/**
 * Log-probabilities in the older shape: one list for each property.
 * @param offsets of the tokens that come next
 */
export function toTextLogprobs(scores: readonly TokenScore[], offsets: TextOffsets): TextLogprobs {
  return listsOf(
    scores,
    scores.map((token) => offsets.next(token)),
  );
}

/**
 * The same of a prompt.
 * @param echo its text
 */
export function toPromptLogprobs(scores: readonly PromptTokenScore[], echo: string): TextLogprobs {
  return listsOf(scores, promptOffsets(scores, echo));
}

/** Those of a prompt and of what follows it. */
export function joinLogprobs(prompt: TextLogprobs, completion: TextLogprobs): TextLogprobs {
  return {
    tokens: [...prompt.tokens, ...completion.tokens],
    token_logprobs: [...prompt.token_logprobs, ...completion.token_logprobs],
    top_logprobs: [...prompt.top_logprobs, ...completion.top_logprobs],
    text_offset: [...prompt.text_offset, ...completion.text_offset],
  };
}

function listsOf(scores: readonly PromptTokenScore[], offsets: readonly number[]): TextLogprobs {
  return {
    tokens: scores.map(nameOf),
    token_logprobs: scores.map(({ logProbability }) =>
      logProbability === undefined ? null : toLogprob(logProbability),
    ),
    top_logprobs: scores.map(topOf),
    text_offset: [...offsets],
  };
}

/**
 * The token itself is among them, as OpenAI documents it. Of several tokens of one name the most probable one
 * is: clients see by the highest value whether a token was the first choice.
 */
function topOf(score: PromptTokenScore): Record<string, number> | null {
  const { logProbability } = score;
  if (logProbability === undefined) return null;
  const tokens: readonly ScoredToken[] = [...score.top, { ...score, logProbability }];
  const byName = new Map<string, number>();
  for (const token of tokens.toSorted((a, b) => b.logProbability - a.logProbability)) {
    const name = nameOf(token);
    if (!byName.has(name)) byName.set(name, toLogprob(token.logProbability));
  }
  return Object.fromEntries(byName);
}

/** A token's text, or its name; of a part of a character, its bytes as OpenAI writes them. */
function nameOf({ bytes, controlText }: TokenText): string {
  if (controlText !== undefined) return controlText;
  const escaped = () => bytes.map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
  return textOfBytes(Uint8Array.from(bytes)) ?? `bytes:${escaped()}`;
}
