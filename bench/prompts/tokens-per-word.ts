import { InputError } from "../../models/command-line/input-error.js";
import type { RequestRecord } from "../client/request-record.js";
import { words } from "./prompt-writer.js";

/**
 * Measures the mean number of tokens per word with the served model, from the server's own counts:
 * a prompt of all words minus a prompt of a single word, which cancels the tokens added by e.g. the
 * chat template.
 * @param ask sends a text as a prompt
 * @throws {InputError} if the request fails, or the server reports no usage
 */
export async function measureTokensPerWord(
  ask: (content: string) => Promise<RequestRecord>,
): Promise<number> {
  const [first = ""] = words;
  const tokensOfAll = promptTokensOf(await ask(words.join(" ")));
  const tokensOfOne = promptTokensOf(await ask(first));
  return (tokensOfAll - tokensOfOne) / (words.length - 1);
}

function promptTokensOf({ tokens, error }: RequestRecord): number {
  if (error !== undefined) throw new InputError(`the server rejected the first request: ${error}`);
  if (tokens === undefined || tokens.prompt === 0) {
    throw new InputError("the server: expected usage in its streams (include_usage), got none");
  }
  return tokens.prompt;
}
