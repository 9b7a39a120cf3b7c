import { describe, expect, it } from "vitest";
import type { StoredItem } from "../../../src/api/responses/item-schema.js";
import { listStatistics } from "../../../src/page/chat/answer-statistics.js";
import {
  type AnswerRecord,
  awaitsAnswer,
  filesOfQuestion,
  findOpenCalls,
  groupIntoTurns,
  outputOfCall,
  recordOf,
  type ToolCall,
  textOfAnswer,
  textOfMessage,
  toRawText,
} from "../../../src/page/chat/turns.js";
import { message } from "./answers.js";

const question = (id: string) =>
  ({ type: "message", id, role: "user", status: "completed", content: [] }) as StoredItem;
const call = (id: string) =>
  ({
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    name: "now",
    arguments: "{}",
  }) as ToolCall;
const output = (id: string) =>
  ({ type: "function_call_output", id: `o_${id}`, call_id: id, output: "noon" }) as StoredItem;

describe("the turns of a conversation", () => {
  it("consist of a question and all items up to the next question", () => {
    const items = [question("1"), call("a"), output("a"), message("Noon."), question("2")];
    const turns = groupIntoTurns(items);
    expect(turns.map(({ type }) => type)).toEqual(["question", "answer", "question"]);
    expect(turns[1]).toEqual({ type: "answer", items: items.slice(1, 4) });
    expect(groupIntoTurns([])).toEqual([]);
  });

  it.each([
    [[], false],
    [[question("1")], true],
    [[question("1"), message("Hi.")], false],
    [[question("1"), call("a")], false],
    [[question("1"), call("a"), output("a")], true],
  ])("require an answer after a question or a tool output: case %#", (items, expected) => {
    expect(awaitsAnswer(items)).toBe(expected);
  });

  it("have a raw text for items of any format", () => {
    expect(toRawText({ type: "answer", items: [call("a"), message("Noon.")] })).toBe("Noon.");
    expect(toRawText({ type: "answer", items: [call("a")] })).toContain('"name": "now"');
    const odd = { ...message("Noon."), content: null } as unknown as ToolCall;
    expect(toRawText({ type: "answer", items: [odd] })).toContain('"content": null');
  });

  it("have the files of a question, whose text is not part of its text", () => {
    const item: Parameters<typeof filesOfQuestion>[0] = {
      type: "message",
      id: "1",
      role: "user",
      status: "completed",
      content: [
        { type: "input_file", filename: "a.md", file_data: "QQ==" },
        { type: "input_text", text: "Summarise." },
        { type: "input_file", file_data: "QQ==" },
      ],
    };
    expect(filesOfQuestion(item)).toEqual([item.content[0], item.content[2]]);
    expect(textOfMessage(item)).toBe("Summarise.");
  });

  it("pair a tool call with its output", () => {
    const items = [call("a"), call("b"), output("a")];
    expect(outputOfCall(items, { call_id: "a" })).toBe(items[2]);
    expect(findOpenCalls(items)).toEqual([items[1]]);
  });

  it("have a text without reasoning and tool calls", () => {
    const items = [call("a"), message("One"), message("two", "msg_2")];
    expect(textOfAnswer({ items })).toBe("One\n\ntwo");
  });
});

describe("the details below an answer", () => {
  const record = {
    id: "resp_1",
    model: "small",
    status: "completed",
    created_at: 1,
    error: null,
    usage: { total_tokens: 1234 },
    timings: { predicted_per_second: 41.26 },
  } as AnswerRecord;

  it("describe its last response", () => {
    const first = { ...call("a"), response: { ...record, id: "resp_0" } };
    const last = { ...message("Noon."), response: record };
    expect(recordOf([first, output("a"), last])).toEqual(record);
    expect(recordOf([first, output("a"), message("coming")])).toEqual(first.response);
    expect(recordOf([message("imported")])).toBeUndefined();
  });

  it("contain the model, the speed and the used context", () => {
    expect(listStatistics(record, 4096)).toEqual([
      "small",
      "41 tokens/s",
      "1,234 of 4,096 tokens of context",
    ]);
    expect(listStatistics(record, undefined).at(-1)).toBe("1,234 tokens of context");
  });
});
