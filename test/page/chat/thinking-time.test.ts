import { describe, expect, it } from "vitest";
import {
  beginThinking,
  endThinking,
  estimateThinkingMs,
  findThinkingMs,
  formatThinkingTime,
} from "../../../src/page/chat/thinking-time.js";
import type { AnswerItem } from "../../../src/page/chat/turns.js";
import { message } from "./answers.js";

const response = {
  usage: { output_tokens: 100, output_tokens_details: { reasoning_tokens: 60 } },
  timings: { predicted_ms: 20_000 },
};
const thoughts = (text: string, members: object = {}) =>
  ({
    ...{ type: "reasoning", id: text, summary: [], ...members },
    content: [{ type: "reasoning_text", text }],
  }) as AnswerItem;
const end = (members: object = {}) => ({ ...message("Hi."), response, ...members }) as AnswerItem;

describe("the duration of reasoning", () => {
  it("is measured while it streams", () => {
    expect(findThinkingMs("rs_1", 5)).toBeUndefined();
    endThinking("rs_1", 5);
    expect(findThinkingMs("rs_1", 5)).toBeUndefined();
    beginThinking("rs_1", 1000);
    beginThinking("rs_1", 2000);
    expect(findThinkingMs("rs_1", 4000)).toBe(3000);
    endThinking("rs_1", 13_000);
    endThinking("rs_1", 20_000);
    expect(findThinkingMs("rs_1", 30_000)).toBe(12_000);
  });

  it("is estimated from the metadata of a stored answer", () => {
    expect(estimateThinkingMs([thoughts("Hm."), end()], 0)).toBe(12_000);
    const twice = [thoughts("abc"), message("Wait."), thoughts("d"), end()] as AnswerItem[];
    expect([estimateThinkingMs(twice, 0), estimateThinkingMs(twice, 2)]).toEqual([9000, 3000]);
  });

  it("is estimated for each response of an answer", () => {
    const first = { ...thoughts("abc"), response } as AnswerItem;
    const items = [first, thoughts("d"), end()];
    expect([estimateThinkingMs(items, 0), estimateThinkingMs(items, 1)]).toEqual([12_000, 12_000]);
  });

  it.each([{ usage: undefined }, { timings: undefined }])(
    "is unknown without metadata: %j",
    (members) => {
      const last = end({ response: { ...response, ...members } });
      expect(estimateThinkingMs([thoughts("Hm."), last], 0)).toBeUndefined();
    },
  );

  it.each([
    [undefined, undefined],
    [400, undefined],
    [1400, "1 s"],
    [12_000, "12 s"],
    [125_000, "2 min 5 s"],
  ])("is formatted: %s ms", (ms, text) => {
    expect(formatThinkingTime(ms)).toBe(text);
  });
});
