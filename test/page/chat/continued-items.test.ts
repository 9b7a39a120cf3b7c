import { describe, expect, it } from "vitest";
import { joinContinued } from "../../../src/page/chat/continued-items.js";
import {
  type AnswerItem,
  findEditableText,
  findLastText,
  listLastOutput,
  textOfAnswer,
  textOfReasoning,
} from "../../../src/page/chat/turns.js";
import { message } from "./answers.js";

const part = (text: string, id: string, status = "incomplete") =>
  ({ ...message(text, id), status }) as AnswerItem;
const thoughts = (text: string, id: string, status = "incomplete") =>
  ({
    ...{ type: "reasoning", id, status, summary: [] },
    content: [{ type: "reasoning_text", text }],
  }) as AnswerItem;
const question = { type: "message", id: "q", role: "user", status: "completed", content: [] };

describe("an answer that was continued", () => {
  it("is one text under the id of its first part", () => {
    const items = [part("One, t", "m1"), part("wo, ", "m2"), part("three.", "m3", "completed")];
    const [joined, ...others] = joinContinued(items);
    expect(others).toEqual([]);
    expect(joined).toMatchObject({ id: "m1", status: "completed" });
    expect(textOfAnswer({ items })).toBe("One, two, three.");
  });

  it("is apart from a text before it that was complete", () => {
    const items = [part("One.", "m1", "completed"), part("Two.", "m2", "completed")];
    expect(joinContinued(items)).toEqual(items);
    expect(textOfAnswer({ items })).toBe("One.\n\nTwo.");
  });

  it("has its reasoning in one item", () => {
    const items = [thoughts("Let me ", "r1"), thoughts("think.", "r2", "completed")];
    const [joined] = joinContinued(items);
    expect(joined?.type === "reasoning" && textOfReasoning(joined)).toBe("Let me think.");
    expect(joined?.id).toBe("r1");
  });

  it("keeps the token probabilities of all parts", () => {
    const scored = (id: string, token: string) => {
      const item = part(token, id);
      const logprobs = [{ token, logprob: -1, bytes: [], top_logprobs: [] }];
      return {
        ...item,
        content: [{ type: "output_text", text: token, annotations: [], logprobs }],
      };
    };
    const [joined] = joinContinued([scored("m1", "a"), scored("m2", "b")] as AnswerItem[]);
    expect(joined).toMatchObject({
      content: [{ text: "ab", logprobs: [{ token: "a" }, { token: "b" }] }],
    });
  });
});

describe("the last text of an answer", () => {
  it("begins where the text that was continued began", () => {
    const items = [
      thoughts("Hm.", "r1", "completed"),
      part("One, t", "m1"),
      part("wo.", "m2", "completed"),
    ];
    expect(findLastText(items)).toBe(1);
    expect(findEditableText(items)).toBe("One, two.");
    expect(findLastText([thoughts("Hm.", "r1", "completed")])).toBe(1);
  });
});

describe("the last output of the model", () => {
  it.each([
    [[question, part("One", "m1")], ["m1"]],
    [
      [question, thoughts("Hm.", "r1"), part("One", "m1")],
      ["r1", "m1"],
    ],
    [[question], []],
    [
      [
        question,
        { type: "function_call_output", id: "o1", call_id: "c", output: "" },
        part("", "m1"),
      ],
      ["m1"],
    ],
  ])("follows the last question or output of a call: case %#", (items, ids) => {
    expect(listLastOutput(items as AnswerItem[]).map(({ id }) => id)).toEqual(ids);
  });
});
