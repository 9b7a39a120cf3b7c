import { describe, expect, it } from "vitest";
import {
  type ChatSettings,
  deriveTitle,
  findToolsProblem,
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

  it.each([
    ["", undefined],
    ["[]", undefined],
    ["{}", "Expected an array of tools, [ … ]."],
    ["[", "Expected JSON: an array of tools."],
  ])("report invalid tool definitions: %s", (text, problem) => {
    expect(findToolsProblem(text)).toBe(problem);
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
