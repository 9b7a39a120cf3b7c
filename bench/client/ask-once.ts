import type { ModelPurpose } from "../model-purpose.js";
import type { HttpClient } from "./http-client.js";
import type { RequestRecord } from "./request-record.js";

/** Document that is long enough for any reranker. */
const DOCUMENT = "word";

/**
 * Sends one text to a model of any purpose, e.g. to count its tokens. Never rejects: failures are
 * part of the record.
 * @param maxTokens token limit of the answer, if the model generates one
 */
export async function askOnce(
  client: Pick<HttpClient, "complete" | "post">,
  purpose: ModelPurpose,
  content: string,
  maxTokens: number,
): Promise<RequestRecord> {
  switch (purpose) {
    case "generate":
      return client.complete({ messages: [{ role: "user", content }], maxTokens });
    case "embed":
      return (await client.post("embeddings", { input: content })).record;
    case "rerank":
      return (await client.post("rerank", { query: content, documents: [DOCUMENT] })).record;
  }
}
