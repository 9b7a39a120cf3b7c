import { describe, expect, it } from "vitest";
import { parseStoredItem } from "../../../src/api/responses/parse-stored-item.js";

const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 8, cache_write_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

/** Timings as releases wrote them that had no times per token. */
const earlierTimings = {
  ...{ cache_n: 8, prompt_n: 2, prompt_ms: 30, prompt_per_second: 66 },
  ...{ predicted_n: 5, predicted_ms: 40, predicted_per_second: 100 },
};

const message = (response?: object) => ({
  ...{ type: "message", id: "msg_1", role: "assistant", status: "completed" },
  content: [{ type: "output_text", text: "Hi", annotations: [], logprobs: [] }],
  ...(response && { response }),
});

const response = (timings: object) => ({
  ...{ id: "resp_1", model: "m", status: "completed", created_at: 1, usage, timings, error: null },
});

describe("an item of a conversations file", () => {
  it("of an earlier release gets times per token", () => {
    expect(parseStoredItem(message(response(earlierTimings)))).toMatchObject({
      response: {
        timings: { ...earlierTimings, prompt_per_token_ms: 15, predicted_per_token_ms: 10 },
      },
    });
  });

  it("keeps the times per token that it has", () => {
    const timings = { ...earlierTimings, prompt_per_token_ms: 1, predicted_per_token_ms: 2 };
    expect(parseStoredItem(message(response(timings)))).toMatchObject({ response: { timings } });
  });

  it("may have no response", () => {
    expect(parseStoredItem(message())).toEqual(message());
  });

  it.each([
    [{ ...message(), id: 7 }, "item: id: Invalid input: expected string, received number"],
    [
      message(response({ ...earlierTimings, prompt_n: "two" })),
      "item: response.timings.prompt_n: Invalid input: expected number, received string",
    ],
    [{ type: "unknown" }, "item: "],
    [3, "item: "],
  ])("that is invalid is rejected with its first invalid field: %#", (item, reason) => {
    expect(() => parseStoredItem(item)).toThrow(reason);
  });
});
