import assert from "node:assert/strict";
import type { TextService } from "../../../core/text-question.js";
import { BANNING_BIAS } from "../translate-sampling.js";
import type { NativeFields } from "./fields.js";

type Biases = NonNullable<NativeFields["logit_bias"]>;
type BiasPair = readonly [tokenOrText: number | string, bias: number | false];

/**
 * A request's biases by token id. As with llama-server, a text stands for all of its tokens; a key of an object is
 * a token id if it is a number. Of several biases of a token the last one counts.
 */
export async function toTokenBiases(
  biases: Biases | undefined,
  texts: TextService,
): Promise<Record<string, number> | undefined> {
  if (biases === undefined) return undefined;
  const pairs = Array.isArray(biases) ? biases : Object.entries(biases).map(fromEntry);
  const byToken = await Promise.all(
    pairs.map(async ([tokenOrText, bias]) => {
      const tokens =
        typeof tokenOrText === "number" ? [tokenOrText] : await tokensOf(tokenOrText, texts);
      return tokens.map((token) => [token, bias === false ? BANNING_BIAS : bias] as const);
    }),
  );
  return Object.fromEntries(byToken.flat());
}

function fromEntry([key, bias]: [string, number | false]): BiasPair {
  return [/^\d+$/.test(key) ? Number(key) : key, bias];
}

async function tokensOf(text: string, texts: TextService): Promise<readonly number[]> {
  const answer = await texts.ask({
    type: "tokenize",
    text,
    beginning: "bare",
    controlTokens: "literal",
    pieces: "unwanted",
  });
  assert(answer.type === "tokens", "a text that is tokenised becomes tokens");
  return [...answer.tokens];
}
