import { Template } from "@huggingface/jinja";
import { describe, expect, it } from "vitest";
import { chatmlTemplate } from "../../../models/random/chatml.jinja.js";

const template = new Template(chatmlTemplate);

const weatherTool = {
  type: "function",
  function: { name: "get_weather", parameters: { type: "object" } },
};

describe("the ChatML template", () => {
  it("delimits each message and opens the next one", () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
      { role: "user", content: " spaces kept \n" },
    ];
    expect(template.render({ messages, add_generation_prompt: true })).toBe(
      "<|im_start|>system\nBe brief.<|im_end|>\n" +
        "<|im_start|>user\nHi<|im_end|>\n" +
        "<|im_start|>assistant\nHello<|im_end|>\n" +
        "<|im_start|>user\n spaces kept \n<|im_end|>\n" +
        "<|im_start|>assistant\n",
    );
  });

  it("opens no message without add_generation_prompt", () => {
    const messages = [{ role: "user", content: "Hi" }];
    expect(template.render({ messages })).toBe("<|im_start|>user\nHi<|im_end|>\n");
  });

  it("lists tools once, inside the system message", () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Weather?" },
    ];
    const prompt = template.render({ messages, tools: [weatherTool] });
    expect(prompt.match(/<\|im_start\|>system/g)).toHaveLength(1);
    expect(prompt).toContain("<|im_start|>system\nBe brief.\n\nYou may call");
    expect(prompt).toContain('"name": "get_weather"');
    expect(prompt).toContain("</tool_call><|im_end|>\n<|im_start|>user\nWeather?<|im_end|>\n");
  });

  it("adds a system message for tools when there is none", () => {
    const messages = [{ role: "user", content: "Weather?" }];
    const prompt = template.render({ messages, tools: [weatherTool] });
    expect(prompt.startsWith("<|im_start|>system\nYou may call")).toBe(true);
    expect(prompt.endsWith("<|im_start|>user\nWeather?<|im_end|>\n")).toBe(true);
  });

  it("writes tool calls, with arguments as text or as an object, and their results", () => {
    const call = (name: string, args: unknown) => ({
      type: "function",
      function: { name, arguments: args },
    });
    const messages = [
      { role: "user", content: "Weather?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [call("get_weather", '{"city":"Bergen"}'), call("get_time", { city: "Oslo" })],
      },
      { role: "tool", content: "rain" },
    ];
    expect(template.render({ messages })).toBe(
      "<|im_start|>user\nWeather?<|im_end|>\n" +
        "<|im_start|>assistant\n" +
        '<tool_call>\n{"name": "get_weather", "arguments": {"city":"Bergen"}}\n</tool_call>\n' +
        '<tool_call>\n{"name": "get_time", "arguments": {"city": "Oslo"}}\n</tool_call>' +
        "<|im_end|>\n" +
        "<|im_start|>tool\nrain<|im_end|>\n",
    );
  });
});
