import { describe, expect, it } from "vitest";
import {
  findProblems,
  hasProblems,
  parseDraft,
  settingsOfDraft,
  toDraft,
} from "../../../src/page/chat/settings-draft.js";

const settings = {
  instructions: "Be brief.",
  tools: '[{"type":"function","name":"now"}]',
  sampling: { temperature: 0, top_k: 40 },
  probabilities: true,
};

describe("a draft of chat settings", () => {
  it("is converted from settings and back", () => {
    expect(settingsOfDraft(toDraft(settings))).toEqual(settings);
    expect(settingsOfDraft(toDraft({ sampling: {} }))).toEqual({
      sampling: {},
      probabilities: false,
    });
  });

  it("is restored from JSON", () => {
    const draft = toDraft(settings);
    expect(parseDraft(JSON.stringify(draft))).toEqual(draft);
    expect(parseDraft("")).toBeUndefined();
    expect(parseDraft("{}")).toBeUndefined();
  });

  it("has the problems of its fields", () => {
    expect(hasProblems(findProblems(toDraft(settings)))).toBe(false);
    const problems = findProblems({
      ...toDraft(settings),
      tools: "{",
      sampling: { temperature: "hot", top_k: "7" },
    });
    expect(hasProblems(problems)).toBe(true);
    expect(problems.tools).toContain("Expected JSON");
    expect(Object.keys(problems.sampling)).toEqual(["temperature"]);
  });
});
