import type { GenerationEvent } from "../../core/generation-event.js";
import {
  type AnswerRecord,
  errorCodeOf,
  finishReasonOf,
  type RequestRecord,
} from "../request-record.js";

/** Output of one answer, as it is generated. */
export class AnswerContent {
  #text = "";
  #reasoning = "";
  readonly #calls: { name: string; arguments: string }[] = [];

  observe(event: GenerationEvent): void {
    switch (event.type) {
      case "text-delta":
        this.#text += event.text;
        break;
      case "reasoning-delta":
        this.#reasoning += event.text;
        break;
      case "tool-call-begin":
        this.#calls.push({ name: event.name, arguments: "" });
        break;
      case "tool-call-arguments": {
        const call = this.#calls.at(-1);
        if (call !== undefined) call.arguments += event.text;
      }
    }
  }

  /** Fields of a line; absent ones have no content. */
  toFields() {
    return {
      ...(this.#text !== "" && { text: this.#text }),
      ...(this.#reasoning !== "" && { reasoning: this.#reasoning }),
      ...(this.#calls.length > 0 && { tool_calls: this.#calls }),
    };
  }
}

/**
 * Formats a line, with its line break. Fields without a value are absent.
 * @param body JSON text of the request's body, without media
 * @param contents by position among the answers
 */
export function formatContentLine(
  record: RequestRecord,
  body: string,
  contents: ReadonlyMap<number, AnswerContent>,
): string {
  const { beginning, end, beganAtEpochMs, answers } = record;
  const error = errorCodeOf(record);
  const head = {
    time: new Date(beganAtEpochMs).toISOString(),
    request_id: beginning.id,
    key: end.keyName,
    method: beginning.method,
    route: beginning.route,
    model: answers[0]?.model,
    batch: beginning.batchId,
    status: end.status,
    error,
    ...(end.delivery === "cut-by-client" && { cut_by_client: true }),
  };
  const printedAnswers = JSON.stringify(
    answers.map((answer, choice) => ({
      ...contents.get(choice)?.toFields(),
      ...toAnswerFields(answer),
    })),
  );
  return `${JSON.stringify(head).slice(0, -1)},"request":${body},"answers":${printedAnswers}}\n`;
}

function toAnswerFields(answer: AnswerRecord) {
  const [finishReason] = finishReasonOf(answer.ending);
  return {
    finish_reason: finishReason,
    prompt_tokens: answer.promptTokens,
    cached_tokens: answer.cachedTokens,
    completion_tokens: answer.completionTokens,
  };
}
