import { z } from "zod";
import type {
  PromptTokenScore,
  ScoredToken,
  TokenScore,
  TokenText,
} from "../../../core/generation-event.js";
import { LazyList } from "../../../core/json.js";
import { toLogprob } from "../../fields/logprobs.js";
import { textOfBytes } from "../text-of-bytes.js";
import { computePromptOffsets, countCharacters, TextOffsets } from "./text-offsets.js";

export const textLogprobs = z
  .object({
    tokens: z.array(z.string()).meta({
      description: "Texts of the tokens. Part of a character is written as bytes: `bytes:\\xe5`.",
    }),
    token_logprobs: z.array(z.number().nullable()).meta({
      description:
        "Log-probabilities of the tokens. `null` for the first token of an echoed prompt.",
    }),
    top_logprobs: z.array(z.record(z.string(), z.number()).nullable()).meta({
      description:
        "The most probable tokens and the sampled token, at each position. `null` for the first token of an echoed prompt.",
    }),
    text_offset: z.array(z.int().nonnegative()).meta({
      description: "Offsets of the tokens in the text, in characters.",
    }),
  })
  .meta({
    id: "TextLogprobs",
    description:
      "Log-probabilities of the completion's tokens, in the older format. With `echo`: of the prompt and the completion, including tokens without text.",
  });

export type TextLogprobs = z.infer<typeof textLogprobs>;

/**
 * Converts scores to the older format of log-probabilities: one list per property.
 * @param offsets offsets of the following tokens
 */
export function toTextLogprobs(scores: readonly TokenScore[], offsets: TextOffsets): TextLogprobs {
  return {
    tokens: scores.map(nameOf),
    token_logprobs: scores.map(probabilityOf),
    top_logprobs: scores.map(toTopLogprobs),
    text_offset: scores.map((token) => offsets.next(token)),
  };
}

/** Log-probabilities of a complete answer, serialised one at a time, because there may be many. */
export type WholeLogprobs = {
  readonly [Property in keyof TextLogprobs]: LazyList<TextLogprobs[Property][number]>;
};

/**
 * Builds the log-probabilities of the prompt and of the completion.
 * @param echo text of the prompt, with which the answer begins
 */
export function toWholeLogprobs(
  prompt: readonly PromptTokenScore[],
  completion: readonly TokenScore[],
  echo: string,
): WholeLogprobs {
  const scores = [...prompt, ...completion];
  const offsets = new TextOffsets(countCharacters(echo));
  const tokenOffsets = [
    ...computePromptOffsets(prompt, echo),
    ...completion.map((token) => offsets.next(token)),
  ];
  return {
    tokens: LazyList.from(scores, nameOf),
    token_logprobs: LazyList.from(scores, probabilityOf),
    top_logprobs: LazyList.from(scores, toTopLogprobs),
    text_offset: LazyList.from(tokenOffsets, (begin) => begin),
  };
}

function probabilityOf({ logProbability }: PromptTokenScore): number | null {
  return logProbability === undefined ? null : toLogprob(logProbability);
}

/**
 * Returns the most probable tokens, including the token itself, as documented by OpenAI. If several
 * tokens have the same name, the most probable one is reported: clients compare with the highest
 * value to see whether a token was the first choice.
 */
function toTopLogprobs(score: PromptTokenScore): Record<string, number> | null {
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

/**
 * Returns the text or name of a token. For an incomplete character, returns its escaped bytes, as
 * in OpenAI's API.
 */
function nameOf({ bytes, controlText }: TokenText): string {
  if (controlText !== undefined) return controlText;
  const escapeBytes = () =>
    bytes.map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
  return textOfBytes(Uint8Array.from(bytes)) ?? `bytes:${escapeBytes()}`;
}
