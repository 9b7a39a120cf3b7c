import { describe, expect, it } from "vitest";
import type { StoredItem } from "../../../src/api/responses/item-schema.js";
import { describeEnd } from "../../../src/page/chat/answer-end.js";
import type { AnswerItem, AnswerRecord } from "../../../src/page/chat/turns.js";
import { message } from "./answers.js";

type Status = AnswerRecord["status"];

interface Ended {
  readonly status: Status;
  readonly error?: string;
  readonly totalTokens?: number;
}

/** An item that ends an answer. */
function ending(item: object, { status, error, totalTokens = 10 }: Ended): AnswerItem {
  const response = {
    ...{ id: "resp_1", model: "small", status, created_at: 1, error: error ?? null },
    usage: { total_tokens: totalTokens },
  };
  return { ...item, response } as AnswerItem;
}

const partial = { ...message("Once upon"), status: "incomplete" };
const reasoning = { type: "reasoning", id: "rs_1", summary: [], status: "incomplete" };
const call = {
  ...{ type: "function_call", id: "fc_1", call_id: "call_1", name: "now" },
  ...{ arguments: "{}", status: "completed" },
};

describe("the end of an answer", () => {
  it.each([
    ["a complete text", ending(message("Hi."), { status: "completed" })],
    ["a text without metadata", message("Hi.") as AnswerItem],
  ])("is not described after %s", (_name, item) => {
    expect(describeEnd([item], 4096)).toBeUndefined();
  });

  it.each([
    [partial, { status: "cancelled" }, "Stopped.", ["continue", "regenerate"]],
    [reasoning, { status: "cancelled" }, "Stopped.", ["continue", "regenerate"]],
    [message("Hi."), { status: "cancelled" }, "Stopped.", ["regenerate"]],
    [
      partial,
      { status: "incomplete" },
      "The maximum number of tokens was reached.",
      ["continue", "regenerate"],
    ],
    [
      { ...call, status: "incomplete" },
      { status: "incomplete" },
      "The maximum number of tokens was reached inside a tool call.",
      ["regenerate"],
    ],
    [
      partial,
      { status: "incomplete", totalTokens: 4096 },
      "The context of 4,096 tokens is full. The answer ends here.",
      ["summarise"],
    ],
    [partial, { status: "failed", error: "It broke." }, "It broke.", ["retry", "continue"]],
    [message(""), { status: "completed" }, "The answer is empty.", ["regenerate"]],
    [
      { ...reasoning, status: "completed" },
      { status: "completed" },
      "The answer is empty: the model ended it after its thoughts.",
      ["regenerate"],
    ],
    [call, { status: "completed" }, "The answer waits for the result of a tool call.", []],
  ] as const)("says what happened, and what to do: case %#", (item, ended, text, steps) => {
    const end = describeEnd([ending(item, ended)], 4096);
    expect(end).toEqual({ text, isFailure: ended.status === "failed", steps });
  });

  it("is a token limit if the context size is unknown", () => {
    const end = describeEnd(
      [ending(partial, { status: "incomplete", totalTokens: 4096 })],
      undefined,
    );
    expect(end?.steps).toContain("continue");
  });

  it("says nothing once the results of tool calls are there", () => {
    const output = { type: "function_call_output", id: "o_1", call_id: "call_1", output: "noon" };
    const answered = [
      ending(call, { status: "completed" }),
      output as StoredItem as AnswerItem,
      ending(message("Noon."), { status: "completed" }),
    ];
    expect(describeEnd(answered, 4096)).toBeUndefined();
  });
});
