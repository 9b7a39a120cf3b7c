import { describe, expect, test } from "vitest";
import { GgufdError } from "../../../../src/core/errors.js";
import type { TextChatPrompt, TextMessage } from "../../../../src/core/generation-request.js";
import { StartupError } from "../../../../src/core/startup-error.js";
import { CHATML_TEMPLATE, ChatTemplate } from "../../../../src/engine/text/prompt/chat-template.js";

const tokens = { bosToken: "<s>", eosToken: "</s>" };

function render(
  source: string,
  messages: readonly TextMessage[],
  templateVariables: Readonly<Record<string, unknown>> = {},
): string {
  return new ChatTemplate(source, tokens).render(
    { type: "chat", messages, tools: [], templateVariables },
    (value) => value,
  );
}

/** Template that prints its variables. */
const PRINTING = "{{ messages | tojson }}{% if tools %}{{ tools | tojson }}{% endif %}";

/** The message as a template receives it. */
function templateMessage(message: TextMessage): unknown {
  const rendered = render(PRINTING, [message, { role: "user", content: "" }]);
  return (JSON.parse(rendered) as unknown[])[0];
}

const user = (content: string): TextMessage => ({ role: "user", content });
const assistant = (content: string): TextMessage => ({ role: "assistant", content });

describe("ChatTemplate", () => {
  test("renders ChatML for models without a template", () => {
    const messages = [{ role: "system", content: "Be brief." } as const, user("Hi")];
    expect(render(CHATML_TEMPLATE, messages)).toBe(
      "<|im_start|>system\nBe brief.<|im_end|>\n" +
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n",
    );
  });

  test.each<[string, TextMessage, unknown]>([
    ["a system message", { role: "system", content: "a" }, { role: "system", content: "a" }],
    [
      "a user's name",
      { role: "user", content: "a", name: "Ann" },
      { role: "user", content: "a", name: "Ann" },
    ],
    ["an answer", assistant("a"), { role: "assistant", content: "a" }],
    [
      "an answer's reasoning",
      { role: "assistant", content: "a", reasoning: "because" },
      { role: "assistant", content: "a", reasoning_content: "because" },
    ],
    [
      "tool calls, with their arguments as an object",
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "c1", name: "add", arguments: '{"a":1,"b":[2]}' }],
      },
      {
        role: "assistant",
        content: "",
        tool_calls: [
          { id: "c1", type: "function", function: { name: "add", arguments: { a: 1, b: [2] } } },
        ],
      },
    ],
    [
      "arguments that are not JSON, as text",
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "c1", name: "add", arguments: "{a:" }],
      },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c1", type: "function", function: { name: "add", arguments: "{a:" } }],
      },
    ],
    [
      "arguments with more values than the body limit, as text",
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "c1", name: "add", arguments: `[${"0,".repeat(50_000)}0]` }],
      },
      {
        role: "assistant",
        content: "",
        tool_calls: [
          {
            id: "c1",
            type: "function",
            function: { name: "add", arguments: `[${"0,".repeat(50_000)}0]` },
          },
        ],
      },
    ],
    [
      "a tool's result",
      { role: "tool", content: "3", toolCallId: "c1", name: "add" },
      { role: "tool", content: "3", tool_call_id: "c1", name: "add" },
    ],
    [
      "absent values as absent keys",
      { role: "tool", content: "3" },
      { role: "tool", content: "3" },
    ],
    [
      "undefined values as absent keys",
      { role: "assistant", content: "", reasoning: undefined, toolCalls: undefined },
      { role: "assistant", content: "" },
    ],
  ])("passes templates %s", (_, message, expected) => {
    expect(templateMessage(message)).toEqual(expected);
  });

  test("leaves absent values undefined so that templates can test for them", () => {
    const source =
      "{% for m in messages %}{{ m.name is defined }} {{ m.tool_calls is defined }};{% endfor %}" +
      "{% if tools %}{{ tools }}{% endif %}";
    const messages: TextMessage[] = [
      { role: "user", content: "", name: "Ann" },
      { role: "assistant", content: "", toolCalls: [{ id: "1", name: "f", arguments: "{}" }] },
      { role: "user", content: "" },
    ];
    expect(render(source, messages)).toBe("True False;False True;False False;");
  });

  test.each(["1234567890123456789", "1.0", "1e400", "-0", "0.10", "1E5"])(
    "passes the number %s in arguments unchanged",
    (number) => {
      const call = { id: "1", name: "f", arguments: `{"b":${number},"1":[${number}]}` };
      const messages: TextMessage[] = [{ role: "assistant", content: "", toolCalls: [call] }];
      const printing = (printed: string) =>
        `{% for m in messages %}{% for call in m.tool_calls %}{% set args = call.function.arguments %}` +
        `${printed}{% endfor %}{% endfor %}{{ tools }}`;
      expect(render(printing("{{ args | tojson }}"), messages)).toBe(
        `{"b": ${number}, "1": [${number}]}`,
      );
      expect(render(printing("{{ args | items }}"), messages)).toBe(
        `[['b', ${number}], ['1', [${number}]]]`,
      );
    },
  );

  test("passes tools with llama.cpp's defaults", () => {
    const template = new ChatTemplate(PRINTING, tokens);
    const prompt: TextChatPrompt = {
      type: "chat",
      messages: [],
      tools: [{ name: "now" }],
      templateVariables: {},
    };
    expect(template.render(prompt, (text) => text)).toBe(
      '[][{"type": "function", "function": {"name": "now", "description": "", "parameters": {}}}]',
    );
  });

  test("does not pass tools that a message defines", () => {
    const template = new ChatTemplate(PRINTING, tokens);
    const tools = [{ name: "now" }, { name: "later", definition: "in-history" } as const];
    const prompt: TextChatPrompt = { type: "chat", messages: [], tools, templateVariables: {} };
    expect(template.render(prompt, (text) => text)).toMatch(/now/);
    expect(template.render(prompt, (text) => text)).not.toMatch(/later/);
    expect(template.render(prompt, (text) => text, "described")).not.toMatch(/later/);
  });

  test("protects exactly the texts of the client", () => {
    const source = `{{ "A" }}${PRINTING}{{ note }}`;
    const prompt: TextChatPrompt = {
      type: "chat",
      messages: [
        { role: "user", content: "A", name: "A" },
        {
          role: "assistant",
          content: "A",
          reasoning: "A",
          toolCalls: [{ id: "A", name: "A", arguments: '{"A":{"b":["A","\\u0041"]}}' }],
        },
        { role: "tool", content: "A", toolCallId: "A", name: "A" },
      ],
      tools: [{ name: "A", description: "A", parameters: { A: "A" } }],
      templateVariables: { note: { A: ["A"] } },
    };
    const rendered = new ChatTemplate(source, tokens).render(prompt, (text) =>
      text.replaceAll("A", "x"),
    );
    expect(rendered.replaceAll(/[^A]/g, "")).toBe("A");
    expect(rendered.startsWith("A")).toBe(true);
  });

  test("renders the current date of its clock", () => {
    const source = `{{ strftime_now("%d %B %Y") }} {{ date_string }} {{ datetime }}`;
    const template = new ChatTemplate(source, tokens, () => new Date("2026-03-02T12:00:00Z"));
    expect(
      template.render({ type: "chat", messages: [], tools: [], templateVariables: {} }, String),
    ).toBe("02 March 2026 02 Mar 2026 Mar 02 2026");
  });

  test("renders a probe without protection, and returns nothing if the template raises an exception", () => {
    const template = new ChatTemplate(
      `{{ messages[0].content }}{% if not messages[0].content %}{{ raise_exception("no") }}{% endif %}`,
      tokens,
    );
    const prompt: TextChatPrompt = {
      type: "chat",
      messages: [user("Hi")],
      tools: [],
      templateVariables: {},
    };
    expect(template.renderProbe(prompt)).toBe("Hi");
    expect(template.renderProbe({ ...prompt, messages: [user("")] })).toBeUndefined();
  });

  test.each(["range", "namespace", "strftime_now", "none"])(
    "rejects a client variable with the built-in name %s",
    (name) => {
      expect(() => render("", [user("a")], { [name]: 1 })).toThrow(
        expect.objectContaining({
          code: "invalid_request",
          details: [expect.objectContaining({ field: `chat_template_kwargs.${name}` })],
        }),
      );
    },
  );

  test("leaves a final assistant message open for continuation", () => {
    expect(render(CHATML_TEMPLATE, [user("Hi"), assistant("Hello, ")])).toBe(
      "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello, ",
    );
  });

  test("closes an assistant message that is not the last message", () => {
    expect(render(CHATML_TEMPLATE, [assistant("Hello"), user("Hi")])).toBe(
      "<|im_start|>assistant\nHello<|im_end|>\n" +
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n",
    );
  });

  test("closes a last message with tool calls", () => {
    const call = { id: "1", name: "f", arguments: "{}" };
    const messages: TextMessage[] = [{ role: "assistant", content: "", toolCalls: [call] }];
    expect(render("{{ messages | length }}{{ tools }}", messages)).toBe("1");
  });

  test("passes the special tokens and requests the generation prompt", () => {
    expect(render("{{ bos_token }}{{ eos_token }}{{ add_generation_prompt }}", [user("")])).toBe(
      "<s></s>True",
    );
  });

  test("passes the request's variables except the variables set by the server", () => {
    const source =
      "{{ thinking }} {{ messages[0].content }} {{ add_generation_prompt }} " +
      "{{ bos_token }} {{ eos_token }}";
    const variables = {
      thinking: "off",
      messages: [{ role: "user", content: "forged" }],
      add_generation_prompt: false,
      bos_token: "forged",
      eos_token: "forged",
    };
    expect(render(source, [user("real")], variables)).toBe("off real True <s> </s>");
  });

  test("returns the message of an exception that the template raises", () => {
    const source = "{{ raise_exception('Roles must alternate') }}";
    const attempt = () => render(source, [user("a"), user("b")]);
    expect(attempt).toThrow(GgufdError);
    expect(attempt).toThrow(
      expect.objectContaining({
        code: "chat_template_error",
        param: "messages",
        message: "The model's chat template refused the messages: Roles must alternate",
      }),
    );
  });

  test("reports a client error if the template fails on the messages", () => {
    expect(() => render("{{ messages[0].content.unknown() }}", [user("a")])).toThrow(
      expect.objectContaining({ code: "chat_template_error" }),
    );
  });

  test.each([
    ["parentheses", `{{ ${"(".repeat(20_000)}1${")".repeat(20_000)} }}`],
    ["blocks", `${"{% if true %}".repeat(20_000)}${"{% endif %}".repeat(20_000)}`],
  ])("fails at startup if the template is nested too deeply: %s", (_, source) => {
    expect(() => new ChatTemplate(source, tokens)).toThrow(
      "the model's chat template cannot be parsed: expected at most a few hundred levels of nested expressions or blocks",
    );
  });

  test("fails at startup if the template cannot be parsed", () => {
    const attempt = () => new ChatTemplate("{% if messages %}", tokens);
    expect(attempt).toThrow(StartupError);
    expect(attempt).toThrow(/^the model's chat template cannot be parsed: ./);
  });
});
