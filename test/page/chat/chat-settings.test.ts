import { describe, expect, it } from "vitest";
import {
  type ChatSettings,
  deriveTitle,
  findSamplingProblem,
  settingsOf,
  titleOfConversation,
  toMetadata,
  toRequestFields,
  withSettings,
} from "../../../src/page/chat/chat-settings.js";

const settings: ChatSettings = {
  model: "small",
  instructions: "Be brief.",
  sampling: { temperature: 0, top_k: 40 },
  tools: '[{"type":"function","name":"now","parameters":{}}]',
};

describe("the settings of a conversation", () => {
  it("are restored unchanged", () => {
    expect(settingsOf({ metadata: toMetadata(settings) })).toEqual(settings);
    expect(settingsOf({ metadata: {} })).toEqual({ sampling: {} });
  });

  it.each(["", "nonsense", "[1]", "null", '{"temperature":"hot","seed":null,"unknown":1}'])(
    "ignore invalid values from other clients: %s",
    (sampling) => {
      expect(settingsOf({ metadata: { sampling } }).sampling).toEqual({});
    },
  );

  it("replace only the previous settings, and keep other metadata", () => {
    const metadata = { title: "A talk", root: "conv_1", instructions: "Rhyme.", model: "large" };
    expect(withSettings(metadata, { sampling: { seed: 1 } })).toEqual({
      title: "A talk",
      root: "conv_1",
      sampling: '{"seed":1}',
    });
  });

  it("are converted to request fields", () => {
    expect(toRequestFields(settings)).toEqual({
      model: "small",
      instructions: "Be brief.",
      temperature: 0,
      top_k: 40,
      tools: [{ type: "function", name: "now", parameters: {} }],
    });
    expect(toRequestFields({ sampling: {}, tools: "{}" })).toEqual({});
  });

  it("ask for token probabilities if they are on", () => {
    const metadata = toMetadata({ sampling: {}, probabilities: true });
    expect(settingsOf({ metadata })).toEqual({ sampling: {}, probabilities: true });
    expect(toRequestFields(settingsOf({ metadata }))).toEqual({
      top_logprobs: 5,
      include: ["message.output_text.logprobs"],
    });
    expect(withSettings(metadata, { sampling: {} })).toEqual({});
  });

  it.each([
    ["temperature", "", undefined],
    ["temperature", " 0.5 ", undefined],
    ["temperature", "3", "Temperature: expected a number from 0 to 2, got 3."],
    ["temperature", "0,5", "Temperature: expected a number from 0 to 2, got 0,5."],
    ["top_k", "1.5", "Top k: expected a whole number from 0 to 1,000, got 1.5."],
    ["max_output_tokens", "0", "Max tokens: expected a whole number from 1 to 1,000,000, got 0."],
  ] as const)("name the range of a number: %s %j", (name, text, problem) => {
    expect(findSamplingProblem(name, text)).toBe(problem);
  });
});

describe("the title of a conversation", () => {
  it.each([
    ["Hello!", "Hello!"],
    ["  several\n lines\tof text ", "several lines of text"],
    ["", "Images"],
    ["x".repeat(60), "x".repeat(60)],
    ["x".repeat(61), `${"x".repeat(59)}…`],
    ["😀".repeat(61), `${"😀".repeat(59)}…`],
  ])("is the beginning of the first message: %j", (text, title) => {
    expect(deriveTitle(text)).toBe(title);
  });

  it("is the creation time by default", () => {
    expect(titleOfConversation({ metadata: { title: "A talk" }, created_at: 0 })).toBe("A talk");
    expect(titleOfConversation({ metadata: {}, created_at: 0 })).toMatch(/^Conversation of .*19/);
  });
});
