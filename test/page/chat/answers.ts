import type { ResponseEvent } from "../../../src/api/responses/event-schema.js";
import type { ResponseObject } from "../../../src/api/responses/response-schema.js";

/** Response with the fields that tests read. */
export function someResponse(members: Partial<ResponseObject> = {}): ResponseObject {
  return {
    id: "resp_1",
    status: "in_progress",
    error: null,
    output: [],
    ...members,
  } as ResponseObject;
}

function outputText(text: string) {
  return { type: "output_text", text, annotations: [], logprobs: [] } as const;
}

/** A message of the model's. */
export function message(text: string, id = "msg_1") {
  return {
    type: "message",
    id,
    role: "assistant",
    status: "completed",
    content: text === "" ? [] : [outputText(text)],
  } as unknown as ResponseObject["output"][number];
}

/** Events with the numbers that a server gives them. @param from the first number */
export function numbered(events: readonly object[], from = 0): readonly ResponseEvent[] {
  return events.map(
    (event, index) => ({ ...event, sequence_number: from + index }) as ResponseEvent,
  );
}

const part = { output_index: 0, content_index: 0, item_id: "msg_1" };

/** The events of an answer that is a text. */
export function textEvents(...deltas: readonly string[]): readonly ResponseEvent[] {
  const text = deltas.join("");
  return numbered([
    { type: "response.created", response: someResponse() },
    { type: "response.queued", response: someResponse() },
    { type: "response.in_progress", response: someResponse() },
    { type: "response.output_item.added", output_index: 0, item: message("") },
    { type: "response.content_part.added", ...part, part: outputText("") },
    ...deltas.map((delta) => ({
      type: "response.output_text.delta",
      ...part,
      delta,
      logprobs: [],
    })),
    { type: "response.output_text.done", ...part, text, logprobs: [] },
    { type: "response.output_item.done", output_index: 0, item: message(text) },
    {
      type: "response.completed",
      response: someResponse({ status: "completed", output: [message(text)] }),
    },
  ]);
}
