import { describe, expect, test } from "vitest";
import type { TextChatPrompt, TextMessage } from "../../../../src/core/generation-request.js";
import { ChatTemplate } from "../../../../src/engine/text/prompt/chat-template.js";

const system: TextMessage = { role: "system", content: "S" };
const user: TextMessage = { role: "user", content: "U" };
const call = { id: "call00001", name: "f", arguments: '{"a": 1.0}' };
const calling = (content: string, reasoning?: string): TextMessage => ({
  role: "assistant",
  content,
  reasoning,
  toolCalls: [call],
});

function render(
  source: string,
  messages: readonly TextMessage[],
  more: Partial<TextChatPrompt> = {},
) {
  const template = new ChatTemplate(source, { bosToken: "", eosToken: "" });
  const prompt: TextChatPrompt = {
    type: "chat",
    messages,
    tools: [],
    templateVariables: {},
    ...more,
  };
  return template.render(prompt, (text) => text);
}

describe("the form of messages that a template supports", () => {
  test("has typed parts if the template ignores string content", () => {
    const source =
      "{% for m in messages %}{% for p in m.content %}{{ p.type }}={{ p.text }};{% endfor %}{% endfor %}";
    expect(render(source, [user])).toBe("text=U;");
  });

  test.each([
    ["ignores", "{% for m in messages if m.role != 'system' %}{{ m.content }};{% endfor %}"],
    [
      "rejects",
      "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no') }}{% endif %}" +
        "{{ m.content }};{% endfor %}",
    ],
  ])(
    "prepends the system message to the next message if the template %s system messages",
    (_, source) => {
      expect(render(source, [system, user, user])).toBe("S\nU;U;");
      expect(render(source, [system])).toBe("S;");
    },
  );

  const callsOf = (printed: string) =>
    `{% for m in messages %}{% for c in m.tool_calls %}${printed}{% endfor %}{% endfor %}{{ tools }}`;

  test("has parsed arguments if the template prints them as JSON", () => {
    expect(render(callsOf("{{ c.function.arguments | tojson }}"), [calling("")])).toBe(
      '{"a": 1.0}',
    );
  });

  test("has arguments as a string if the template concatenates them", () => {
    expect(render(callsOf("{{ '>' + c.function.arguments }}"), [calling("")])).toBe('>{"a": 1.0}');
  });

  test("has reasoning in the field that the template reads", () => {
    const source = "{% for m in messages %}{{ m.content }}{{ m.thinking }};{% endfor %}{{ tools }}";
    expect(render(source, [calling("", "r"), user])).toBe("r;U;");
  });

  test("has reasoning as a part if the template reads only parts", () => {
    const source =
      "{% for m in messages %}{% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}" +
      "[{{ p[p.type] }}]{% endfor %}{% endif %}{% endfor %}";
    const messages: TextMessage[] = [{ role: "assistant", content: "a", reasoning: "r" }, user];
    expect(render(source, messages)).toBe("[r][a]U");
  });

  test("omits text next to calls and reasoning if the template rejects the combination", () => {
    const source =
      "{% for m in messages %}{% if m.content and m.thinking and m.tool_calls %}" +
      "{{ raise_exception('both') }}{% endif %}{{ m.content }}{{ m.thinking }}{% endfor %}{{ tools }}";
    expect(render(source, [calling("text", "r"), user])).toBe("rU");
    expect(render(source, [calling("text"), user])).toBe("textU");
  });

  test.each([
    [
      "xml_tools",
      "{{ xml_tools | tojson }}",
      '[{"name": "f", "description": "", "parameters": {}}]',
    ],
    ["functions", "{{ functions + '' }}", '[\n    {\n        "name": "f",\n'],
  ])("has tools in the template-specific variable %s", (_, source, expected) => {
    expect(render(source, [user], { tools: [{ name: "f" }] })).toContain(expected);
  });

  test("has a description of the tools if the template does not support tools", () => {
    const source = "{% for m in messages %}{{ m.role }}:{{ m.content }};{% endfor %}";
    expect(render(source, [user], { tools: [{ name: "f" }] })).toMatch(
      /^system:You can call these tools.*"name":"f".*;user:U;$/s,
    );
  });

  test("has thinking turned off if the switch changes only the system message", () => {
    const source =
      "{{ 'think' if enable_thinking else 'answer' }};{% for m in messages %}{{ m.content }}{% endfor %}";
    expect(render(source, [user])).toBe("answer;U");
    expect(render(`${source}{{ '<think>' if enable_thinking }}`, [user])).toBe("think;U<think>");
  });
});
