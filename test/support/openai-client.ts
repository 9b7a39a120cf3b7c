import OpenAI from "openai";
import type { Served } from "./serve.js";

/** OpenAI's client of a server without keys. It does not retry: a test is about the first answer. */
export function openAIClient({ url }: Served): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
}
