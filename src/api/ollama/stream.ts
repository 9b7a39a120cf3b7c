import type { ChoiceEvent, TokenScore } from "../../core/generation-event.js";
import type { ToolCall } from "../../core/generation-request.js";
import type { AnswerContent, ToFields } from "./answer.js";
import { type AnswerOrigin, buildEndFrame, buildPieceFrame, toLogprobs } from "./answer.js";
import type { ResponseFrame } from "./response-schema.js";

/**
 * Yields the lines of a streamed answer: one for each piece of text or reasoning, and one for each
 * completed call. The last line has the token counts and no content.
 * @throws {GgufdError} the error that ended the generation
 */
export async function* toLines<Fields extends object>(
  events: AsyncIterable<ChoiceEvent>,
  origin: AnswerOrigin,
  toFields: ToFields<Fields>,
): AsyncGenerator<ResponseFrame & Fields, void> {
  let call: ToolCall | undefined;
  const buildLine = (content: AnswerContent, scores?: readonly TokenScore[]) => ({
    ...buildPieceFrame(origin),
    ...toFields(content),
    ...(scores && { logprobs: toLogprobs(scores) }),
  });
  for await (const { event } of events) {
    if (event.type === "failed") throw event.error;
    if (event.type === "cancelled") return;
    if (event.type === "tool-call-arguments") {
      if (call !== undefined) call = { ...call, arguments: call.arguments + event.text };
      continue;
    }
    if (call !== undefined) yield buildLine({ calls: [call] });
    call = undefined;
    switch (event.type) {
      case "text-delta":
        yield buildLine({ text: event.text }, event.scores);
        break;
      case "reasoning-delta":
        yield buildLine({ reasoning: event.text });
        break;
      case "tool-call-begin":
        call = { id: event.id, name: event.name, arguments: "" };
        break;
      case "finished":
        yield { ...buildEndFrame(origin, event), ...toFields({}) };
        return;
    }
  }
}
