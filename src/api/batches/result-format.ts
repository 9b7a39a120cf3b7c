import { createHash } from "node:crypto";
import type { LineOutcome, ResultFormat } from "../../batches/result-format.js";
import type { ResultKind } from "../../core/batch-activity.js";
import { isJsonObject, toOneLine } from "../../core/json.js";

const EXPIRED = {
  code: "batch_expired",
  message: "This request was not answered before the completion window expired.",
};

const OK = 200;

/** Digits of a result's id, which identifies it by its `custom_id` within its batch. */
const ID_DIGITS = 32;

/**
 * OpenAI's form of results: answers with status 200 in the output file, all other ones in the error
 * file. Lines of a cancelled batch that were not answered have no result.
 */
export const openAiResults: ResultFormat = {
  print(customId, outcome) {
    const kind = kindOf(outcome);
    if (kind === "canceled") return undefined;
    const id = `batch_req_${createHash("sha256").update(customId).digest("hex").slice(0, ID_DIGITS)}`;
    const error = kind === "expired" ? JSON.stringify(EXPIRED) : "null";
    const text = `{"id":"${id}","custom_id":${JSON.stringify(customId)},"response":${printResponse(outcome)},"error":${error}}`;
    return { file: kind === "succeeded" ? "output" : "errors", kind, text };
  },

  parse(value) {
    if (!isJsonObject(value) || typeof value.custom_id !== "string") return undefined;
    const { custom_id: customId, response } = value;
    if (!isJsonObject(response)) return { customId, kind: "expired" };
    return { customId, kind: response.status_code === OK ? "succeeded" : "errored" };
  },
};

function kindOf(outcome: LineOutcome): ResultKind {
  if (outcome.type !== "answered") return outcome.type;
  return outcome.answer.status === OK ? "succeeded" : "errored";
}

function printResponse(outcome: LineOutcome): string {
  if (outcome.type !== "answered") return "null";
  const { status, requestId, body } = outcome.answer;
  return `{"status_code":${status},"request_id":${JSON.stringify(requestId)},"body":${toOneLine(body)}}`;
}
