import { describe, expect, it } from "vitest";
import { converse } from "../../../models/training/eval/converse.js";
import { type Dialogue, dialogues } from "../../../models/training/eval/dialogues.js";
import { toMarkdown } from "../../../models/training/eval/markdown.js";
import type { Prompt } from "../../../models/training/eval/prompts.js";
import type { Answer } from "../../../models/training/eval/score.js";

const answer = (content: string, more: Partial<Answer> = {}): Answer => ({
  content,
  reasoning: "",
  calls: [],
  finishReason: "stop",
  ...more,
});
const call = (name: string, args: string) =>
  answer("", { calls: [{ name, arguments: args }], finishReason: "tool_calls" });

const weather = {
  tool: { name: "get_weather", description: "The weather", parameters: { city: "string" } },
  answer: '{"condition": "rain"}',
} as const;
const dialogue: Dialogue = { title: "Weather", tools: [weather], says: ["Rain?", "Thanks!"] };

/** Returns the answers in order, and records the requests. */
function model(...answers: readonly Answer[]) {
  const asked: Prompt[] = [];
  const queue = [...answers];
  const ask = async (prompt: Prompt) => {
    asked.push({ ...prompt, messages: [...prompt.messages] });
    return queue.shift() ?? answer("no more");
  };
  return { asked, ask };
}

describe("a conversation", () => {
  it("passes the tool result to the model before the next user message", async () => {
    const { asked, ask } = model(
      call("get_weather", '{"city": "Oslo"}'),
      answer("It rains."),
      answer("You are welcome!"),
    );
    const messages = await converse(dialogue, ask);
    const calls = [{ name: "get_weather", arguments: { city: "Oslo" } }];
    expect(messages).toEqual([
      { role: "user", content: "Rain?" },
      { role: "assistant", content: "", calls },
      { role: "tool", content: '{"condition": "rain"}' },
      { role: "assistant", content: "It rains." },
      { role: "user", content: "Thanks!" },
      { role: "assistant", content: "You are welcome!" },
    ]);
    expect(asked.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
    expect(asked[0]?.tools).toEqual([weather.tool]);
  });

  it("continues with the next user message if the model keeps calling tools", async () => {
    const endless = async () => call("get_time", "{}");
    const messages = await converse(dialogue, endless);
    const turn = ["user", "assistant", "tool", "assistant", "tool", "assistant", "tool"];
    expect(messages.map(({ role }) => role)).toEqual([...turn, ...turn]);
    expect(messages).toContainEqual({ role: "tool", content: '{"error": "no such tool"}' });
  });

  it("keeps malformed tool calls as text", async () => {
    const { ask } = model(call("get_weather", "{oops"), answer("ok"));
    const messages = await converse(dialogue, ask);
    expect(messages[1]).toEqual({
      role: "assistant",
      content: '[{"name":"get_weather","arguments":"{oops"}]',
    });
  });
});

describe("a conversation as Markdown", () => {
  it("shows the system prompt, tools, thinking, calls and results", () => {
    const shown = toMarkdown({ ...dialogue, system: "Be brief.", thinking: true }, [
      { role: "user", content: "Rain?" },
      {
        role: "assistant",
        content: "",
        reasoning: "A tool.",
        calls: [{ name: "get_weather", arguments: { city: "Oslo" } }],
      },
      { role: "tool", content: '{"condition": "rain"}' },
      { role: "assistant", content: "It rains." },
    ]);
    expect(shown).toBe(
      [
        "## Weather",
        "**System:** Be brief.",
        "**Thinking:** asked for (`enable_thinking`)",
        "**Tools:**",
        "- `get_weather(city: string)` — The weather",
        "**User:** Rain?",
        "**Model thinks:** A tool.",
        '**Model calls:** `get_weather({"city": "Oslo"})`',
        '**Tool answers:** `{"condition": "rain"}`',
        "**Model:** It rains.",
      ].join("\n\n"),
    );
  });

  it.each([
    ["plain words", "**Model:** plain words"],
    ["", "**Model:** (nothing)"],
    [" blank before", "**Model:** ` blank before`"],
    ["1. pear\n2. plum", "**Model:**\n\n```text\n1. pear\n2. plum\n```"],
    ["<tool_call>", "**Model:** `<tool_call>`"],
    ["a * b", "**Model:** `a * b`"],
    ["a `b` c", "**Model:** `` a `b` c ``"],
    ["```\nx\n```", "**Model:**\n\n````text\n```\nx\n```\n````"],
  ])("shows %j verbatim", (content, expected) => {
    const shown = toMarkdown({ title: "T", says: [] }, [{ role: "assistant", content }]);
    expect(shown).toBe(`## T\n\n${expected}`);
  });
});

describe("the hand-written conversations", () => {
  it("contain ten multi-turn conversations, some with a system prompt, tools or thinking", () => {
    expect(dialogues).toHaveLength(10);
    for (const { says } of dialogues) expect(says.length).toBeGreaterThan(2);
    expect(dialogues.filter(({ tools }) => tools !== undefined).length).toBeGreaterThan(1);
    expect(dialogues.filter(({ system }) => system !== undefined).length).toBeGreaterThan(1);
    expect(dialogues.filter(({ thinking }) => thinking)).toHaveLength(1);
  });
});
