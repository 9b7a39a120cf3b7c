import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChatMessage } from "../../../src/core/generation-request.js";
import { CHATML_TEMPLATE, ChatTemplate } from "../../../src/engine/prompt/chat-template.js";
import { PromptTokenizer } from "../../../src/engine/prompt/prompt-tokenizer.js";
import { LetterVocabulary } from "./letter-vocabulary.js";

const START = "<|im_start|>";
const END = "<|im_end|>";
const BOS = "<s>";
const CONTROL_TEXTS = [START, END, BOS];

function encode(
  template: string,
  content: string,
  vocabulary = new LetterVocabulary(CONTROL_TEXTS, BOS),
): readonly number[] {
  const chatTemplate = new ChatTemplate(template, {
    bosToken: vocabulary.bosText,
    eosToken: vocabulary.eosText,
  });
  const messages: ChatMessage[] = [{ role: "user", content }];
  const prompt = { messages, tools: [], templateVariables: {} };
  return new PromptTokenizer(vocabulary, chatTemplate, 1_000_000).encode(prompt).tokens;
}

const { letters, control } = (() => {
  const vocabulary = new LetterVocabulary(CONTROL_TEXTS);
  return {
    letters: (text: string) => vocabulary.letters(text),
    control: (text: string) => vocabulary.control(text),
  };
})();

describe("PromptTokenizer", () => {
  test("parses the template's control tokens and tokenises everything else as text", () => {
    expect(encode(CHATML_TEMPLATE, "Hi", new LetterVocabulary(CONTROL_TEXTS))).toEqual([
      control(START),
      ...letters("user\nHi"),
      control(END),
      ...letters("\n"),
      control(START),
      ...letters("assistant\n"),
    ]);
  });

  test.each([
    ["that renders it", "{{ bos_token }}{{ messages[0].content }}"],
    ["that does not render it", "{{ messages[0].content }}"],
  ])("begins with exactly one BOS with a template %s", (_, template) => {
    expect(encode(template, "a")).toEqual([control(BOS), ...letters("a")]);
  });

  test("adds no BOS for models without one", () => {
    const vocabulary = new LetterVocabulary(CONTROL_TEXTS);
    expect(encode("{{ messages[0].content }}", "a", vocabulary)).toEqual(letters("a"));
  });

  test("prepends the BOS even if the client's text begins with one", () => {
    expect(encode("{{ messages[0].content }}", `${BOS}a`)).toEqual([
      control(BOS),
      ...letters(`${BOS}a`),
    ]);
  });

  test("never parses a client's text into control tokens", () => {
    const part = fc.constantFrom(
      ...CONTROL_TEXTS,
      "<|im_",
      "end|>",
      "<",
      "\uE010\uE000\uE011",
      "é",
    );
    const vocabulary = new LetterVocabulary(CONTROL_TEXTS);
    const template = `${START}{{ messages[0].content }}${END}`;
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const content = parts.join("");
        expect(encode(template, content, vocabulary)).toEqual([
          control(START),
          ...letters(content),
          control(END),
        ]);
      }),
    );
  });

  test("parses no control tokens in an answer that is continued", () => {
    const vocabulary = new LetterVocabulary(CONTROL_TEXTS);
    const template = new ChatTemplate(START, { bosToken: "", eosToken: "" });
    const { tokens } = new PromptTokenizer(vocabulary, template, 1_000_000).encode({
      messages: [{ role: "assistant", content: `a${END}` }],
      tools: [],
      templateVariables: {},
    });
    expect(tokens).toEqual([control(START), ...letters(`a${END}`)]);
  });

  test.each([
    ["escaped in the arguments of a tool call", `{"a":"\\u003c|im_end|>"}`],
    ["in the arguments of a tool call", `{"a":"${END}"}`],
    ["as a property name in the arguments of a tool call", `{"${END}":1}`],
  ])("parses no control token %s", (_, text) => {
    const vocabulary = new LetterVocabulary(CONTROL_TEXTS);
    const template = new ChatTemplate(
      `{{ messages[0].tool_calls[0].function.arguments | tojson }}${END}`,
      { bosToken: "", eosToken: "" },
    );
    const { tokens } = new PromptTokenizer(vocabulary, template, 1_000_000).encode({
      tools: [],
      messages: [
        {
          role: "assistant",
          content: "",
          toolCalls: [{ id: "1", name: "f", arguments: text }],
        },
      ],
      templateVariables: {},
    });
    expect(tokens.filter((token) => token === control(END))).toHaveLength(1);
    expect(tokens.at(-1)).toBe(control(END));
  });

  test("parses no control tokens in the request's template variables", () => {
    const vocabulary = new LetterVocabulary(CONTROL_TEXTS);
    const template = new ChatTemplate(`{{ note }}${END}`, { bosToken: "", eosToken: "" });
    const prompt = { messages: [], tools: [], templateVariables: { note: END } };
    expect(new PromptTokenizer(vocabulary, template, 1_000_000).encode(prompt).tokens).toEqual([
      ...letters(END),
      control(END),
    ]);
  });

  test("parses no control tokens in a tool definition, parameter names included", () => {
    const vocabulary = new LetterVocabulary(CONTROL_TEXTS);
    const template = new ChatTemplate(`{# <tool_call> #}{{ tools | tojson }}${END}`, {
      bosToken: "",
      eosToken: "",
    });
    const parameters = { type: "object", properties: { [END]: { description: END } } };
    const tools = [{ name: "f", description: END, parameters }];
    const { tokens } = new PromptTokenizer(vocabulary, template, 1_000_000).encode({
      messages: [],
      tools,
      templateVariables: {},
    });
    expect(tokens.filter((token) => token === control(END))).toHaveLength(1);
  });

  test("tokenises everything as text for models without control tokens", () => {
    const vocabulary = new LetterVocabulary([]);
    expect(encode("{{ messages[0].content }}", END, vocabulary)).toEqual(letters(END));
  });
});
