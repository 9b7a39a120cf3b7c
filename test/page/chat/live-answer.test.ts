import { describe, expect, it } from "vitest";
import { type LiveAnswer, waitingAnswer, withEvent } from "../../../src/page/chat/live-answer.js";
import { textOfAnswer, textOfReasoning } from "../../../src/page/chat/turns.js";
import { message, numbered, someResponse, textEvents } from "./answers.js";

const answerOf = (events: readonly Parameters<typeof withEvent>[1][]): LiveAnswer =>
  events.reduce(withEvent, waitingAnswer);

describe("an answer in progress", () => {
  it("is first waiting, then streaming, then complete", () => {
    const events = textEvents("Hel", "lo");
    expect(answerOf(events.slice(0, 2))).toMatchObject({ state: "waiting", responseId: "resp_1" });
    expect(textOfAnswer(answerOf(events.slice(0, 6)))).toBe("Hel");
    expect(answerOf(events.slice(0, 6)).state).toBe("answering");
    expect(textOfAnswer(answerOf(events.slice(0, 7)))).toBe("Hello");
    expect(answerOf(events)).toMatchObject({ state: "ended", items: [message("Hello")] });
  });

  it("ignores events that it has already processed", () => {
    const events = textEvents("Hel", "lo");
    const twice = [...events.slice(0, 7), ...events.slice(3)];
    expect(answerOf(twice)).toEqual(answerOf(events));
    expect(textOfAnswer(answerOf([...events.slice(0, 6), ...events.slice(4, 7)]))).toBe("Hello");
  });

  it("keeps reasoning and tool calls in order", () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [], content: [] };
    const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "now" };
    const events = numbered([
      { type: "response.output_item.added", output_index: 0, item: reasoning },
      { type: "response.reasoning_text.delta", output_index: 0, delta: "Let me " },
      { type: "response.reasoning_text.delta", output_index: 0, delta: "look." },
      {
        type: "response.output_item.added",
        output_index: 1,
        item: { ...call, arguments: "", status: "in_progress" },
      },
      { type: "response.function_call_arguments.delta", output_index: 1, delta: '{"a":' },
      { type: "response.function_call_arguments.delta", output_index: 1, delta: "1}" },
    ]);
    const { items } = answerOf(events);
    const [first, second] = items;
    expect(first?.type === "reasoning" && textOfReasoning(first)).toBe("Let me look.");
    expect(second).toMatchObject({ name: "now", arguments: '{"a":1}' });
  });

  it("keeps the partial answer and the error when it fails", () => {
    const failed = someResponse({
      status: "failed",
      output: [message("Hel")],
      error: { code: "server_error", message: "The engine was lost." },
    });
    const events = [
      ...textEvents("Hel").slice(0, 6),
      ...numbered([{ type: "response.failed", response: failed }], 6),
    ];
    expect(answerOf(events)).toMatchObject({ state: "ended", error: "The engine was lost." });
    const error = numbered([{ type: "error", code: "x", message: "No.", param: null }]);
    expect(answerOf(error)).toMatchObject({ state: "ended", error: "No." });
  });

  it("ignores events for unknown items and events of unknown types", () => {
    const events = numbered([
      { type: "response.output_text.delta", output_index: 3, delta: "lost" },
      { type: "response.something_new" },
    ]);
    expect(answerOf(events)).toEqual({ ...waitingAnswer, lastEvent: 1 });
  });
});
