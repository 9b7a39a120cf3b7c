import type { ResultFormat } from "../../../batches/result-format.js";
import { RESULT_KINDS, type ResultKind } from "../../../core/batch-activity.js";
import { isJsonObject, toOneLine } from "../../../core/json.js";

const OK = 200;

/** Anthropic's form of results: all of them in one file. */
export const messageResults: ResultFormat = {
  print(customId, outcome) {
    const print = (kind: ResultKind, value = "") => ({
      file: "output" as const,
      kind,
      text: `{"custom_id":${JSON.stringify(customId)},"result":{"type":"${kind}"${value}}}`,
    });
    if (outcome.type !== "answered") return print(outcome.type);
    const { status, body } = outcome.answer;
    return status === OK
      ? print("succeeded", `,"message":${toOneLine(body)}`)
      : print("errored", `,"error":${toOneLine(body)}`);
  },

  parse(value) {
    if (!isJsonObject(value) || typeof value.custom_id !== "string") return undefined;
    const { result } = value;
    const kind = isJsonObject(result) ? RESULT_KINDS.find((one) => one === result.type) : undefined;
    return kind && { customId: value.custom_id, kind };
  },
};
