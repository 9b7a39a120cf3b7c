import { InputError } from "../../models/command-line/input-error.js";
import type { ChatRequest } from "../client/chat-request.js";
import type { RequestRecord } from "../client/request-record.js";
import { words } from "./words.js";

/**
 * How many tokens the served model makes of one of our words, by the server's own count: every word
 * once, less what the template and a single word come to.
 * @throws {InputError} when the server does not answer, or counts nothing.
 */
export async function measureTokensPerWord(
  ask: (request: ChatRequest) => Promise<RequestRecord>,
): Promise<number> {
  const [first = ""] = words;
  const count = async (content: string) => {
    const record = await ask({ messages: [{ role: "user", content }], maxTokens: 1 });
    return promptTokensOf(record);
  };
  const all = await count(words.join(" "));
  const one = await count(first);
  return (all - one) / (words.length - 1);
}

function promptTokensOf({ tokens, error }: RequestRecord): number {
  if (error !== undefined) throw new InputError(`the server refused a first request: ${error}`);
  if (tokens === undefined || tokens.prompt === 0) {
    throw new InputError("the server: expected usage in its streams (include_usage), got none");
  }
  return tokens.prompt;
}
