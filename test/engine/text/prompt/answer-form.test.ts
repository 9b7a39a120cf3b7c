import { describe, expect, test } from "vitest";
import type { TextChatPrompt, TextMessage } from "../../../../src/core/generation-request.js";
import { ChatTemplate } from "../../../../src/engine/text/prompt/chat-template.js";

/** Template with reasoning before the text, and a switch that closes reasoning at once. */
const SWITCHED =
  "{% for m in messages %}<{{ m.role }}>" +
  "{% if m.role == 'assistant' %}<think>\n{{ m.reasoning_content or '' }}\n</think>\n\n{% endif %}" +
  "{{ m.content }}</>{% endfor %}{% if add_generation_prompt %}<assistant>" +
  "{% if not enable_thinking %}<think>\n\n</think>\n\n{% endif %}{% endif %}";

/** Template that opens reasoning and drops earlier reasoning. */
const OPENED =
  "{% for m in messages %}<{{ m.role }}>{{ m.content.split('</think>')[-1] }}</>{% endfor %}" +
  "{% if add_generation_prompt %}<assistant><think>\n{% endif %}";

/** Template with text and reasoning in channels named by the model. */
const CHANNELS =
  "{% for m in messages %}{% if m.thinking %}<{{ m.role }} to=self>{{ m.thinking }}</>{% endif %}" +
  "<{{ m.role }}{{ ' to=user' if m.role == 'assistant' }}>{{ m.content }}</>{% endfor %}" +
  "{% if add_generation_prompt %}<assistant{% endif %}";

const PLAIN =
  "{% for m in messages %}<{{ m.role }}>{{ m.content }}</>{% endfor %}" +
  "{% if add_generation_prompt %}<assistant>{% endif %}";

type AssistantMessage = Omit<Extract<TextMessage, { role: "assistant" }>, "role">;

/** Text rendered after the question. */
function answer(
  source: string,
  message: Partial<AssistantMessage>,
  prompt: Partial<TextChatPrompt> = {},
): string {
  const messages: TextMessage[] = [
    { role: "user", content: "?" },
    { role: "assistant", content: "", ...message },
  ];
  const template = new ChatTemplate(source, { bosToken: "", eosToken: "" });
  const whole: TextChatPrompt = {
    type: "chat",
    messages,
    tools: [],
    templateVariables: {},
    ...prompt,
  };
  return template.render(whole, (text) => text).replace("<user>?</>", "");
}

const thinkingOff = { templateVariables: { enable_thinking: false } };

describe("a continued answer", () => {
  test.each<[string, string, Partial<AssistantMessage>, Partial<TextChatPrompt>, string]>([
    ["text of a model without reasoning", PLAIN, { content: "a" }, {}, "<assistant>a"],
    ["an empty answer", PLAIN, {}, {}, "<assistant>"],
    [
      "text without its reasoning if the model does not support reasoning",
      PLAIN,
      { content: "a", reasoning: "r" },
      {},
      "<assistant>a",
    ],
    [
      "text after empty reasoning",
      SWITCHED,
      { content: "a" },
      {},
      "<assistant><think>\n\n</think>\n\na",
    ],
    [
      "text after reasoning",
      SWITCHED,
      { content: "a", reasoning: "r" },
      {},
      "<assistant><think>\nr\n</think>\n\na",
    ],
    ["reasoning", SWITCHED, { reasoning: "r" }, {}, "<assistant><think>\nr"],
    [
      "text with thinking off",
      SWITCHED,
      { content: "a" },
      thinkingOff,
      "<assistant><think>\n\n</think>\n\na",
    ],
    [
      "reasoning with thinking off",
      SWITCHED,
      { reasoning: "r" },
      thinkingOff,
      "<assistant><think>\nr",
    ],
    [
      "text if the template opens reasoning",
      OPENED,
      { content: "a" },
      {},
      "<assistant><think>\n\n</think>\n\na",
    ],
    ["reasoning if the template opens it", OPENED, { reasoning: "r" }, {}, "<assistant><think>\nr"],
    ["text in a channel", CHANNELS, { content: "a" }, {}, "<assistant to=user>a"],
    ["reasoning in a channel", CHANNELS, { reasoning: "r" }, {}, "<assistant to=self>r"],
    [
      "text after reasoning in a channel",
      CHANNELS,
      { content: "a", reasoning: "r" },
      {},
      "<assistant to=self>r</><assistant to=user>a",
    ],
    [
      "no closed message",
      PLAIN,
      { content: "a" },
      { finalMessage: "closed" },
      "<assistant>a</><assistant>",
    ],
  ])("continues %s", (_, source, message, prompt, expected) => {
    expect(answer(source, message, prompt)).toBe(expected);
  });
});
