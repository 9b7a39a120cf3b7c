import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChatMessage } from "../../../../src/core/generation-request.js";
import type { ChunkedMedia, ContentPart } from "../../../../src/core/media.js";
import { type OutputFormat, REASONING_FORMATS } from "../../../../src/core/output-format.js";
import { REASONING_MARKS } from "../../../../src/engine/text/output/conventions/reasoning-marks.js";
import { CHATML_TEMPLATE, ChatTemplate } from "../../../../src/engine/text/prompt/chat-template.js";
import { PromptTokenizer } from "../../../../src/engine/text/prompt/prompt-tokenizer.js";
import { IMAGE_FILE } from "../../../support/some-media.js";
import { LetterVocabulary } from "./letter-vocabulary.js";

const START = "<|im_start|>";
const END = "<|im_end|>";
const BOS = "<s>";
const CONTROL_TEXTS = [START, END, BOS];

const HERMES: OutputFormat = { convention: "hermes", reasoning: "think" };

const tokenizerOf = (
  vocabulary: LetterVocabulary,
  template: ChatTemplate,
  outputFormat: OutputFormat = HERMES,
) => new PromptTokenizer(vocabulary, { template, outputFormat, contextSize: 1_000_000 });

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
  const prompt = { type: "chat" as const, messages, tools: [], templateVariables: {} };
  return tokenizerOf(vocabulary, chatTemplate).encode(prompt).tokens;
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
    ["that renders the BOS", "{{ bos_token }}{{ messages[0].content }}"],
    ["that does not render the BOS", "{{ messages[0].content }}"],
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

  test("never parses control tokens in a client's text", () => {
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

  test("parses no control tokens in a continued answer", () => {
    const vocabulary = new LetterVocabulary(CONTROL_TEXTS);
    const template = new ChatTemplate(START, { bosToken: "", eosToken: "" });
    const { tokens } = tokenizerOf(vocabulary, template).encode({
      type: "chat",
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
    const { tokens } = tokenizerOf(vocabulary, template).encode({
      type: "chat",
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
    const prompt = {
      type: "chat" as const,
      messages: [],
      tools: [],
      templateVariables: { note: END },
    };
    expect(tokenizerOf(vocabulary, template).encode(prompt).tokens).toEqual([
      ...letters(END),
      control(END),
    ]);
  });

  test("parses no control tokens in a tool definition, parameter names included", () => {
    const vocabulary = new LetterVocabulary(CONTROL_TEXTS);
    const template = new ChatTemplate(`{{ tools | tojson }}${END}`, {
      bosToken: "",
      eosToken: "",
    });
    const parameters = { type: "object", properties: { [END]: { description: END } } };
    const tools = [{ name: "f", description: END, parameters }];
    const { tokens } = tokenizerOf(vocabulary, template).encode({
      type: "chat",
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

  describe("variables of the chat template", () => {
    const vocabulary = new LetterVocabulary(CONTROL_TEXTS);
    const { bosText, eosText } = vocabulary;
    const template = new ChatTemplate("{{ mood }}{{ size }}", {
      bosToken: bosText,
      eosToken: eosText,
    });
    const tokenizer = new PromptTokenizer(vocabulary, {
      ...{ template, outputFormat: HERMES, contextSize: 1000 },
      templateVariables: { mood: "calm", size: "big" },
    });
    const render = (templateVariables: Record<string, unknown>) =>
      tokenizer.render({
        type: "chat",
        messages: [{ role: "user", content: "x" }],
        tools: [],
        templateVariables,
      });

    test("have the model's values unless a request sets them", () => {
      expect(render({})).toBe("calmbig");
      expect(render({ size: "small" })).toBe("calmsmall");
    });
  });

  describe("determines how the answer is parsed:", () => {
    const letters = new LetterVocabulary([]);
    const open = (source: string) => new ChatTemplate(source, { bosToken: "", eosToken: "" });
    const user: ChatMessage = { role: "user", content: "Hi" };
    const promptOf = (messages: readonly ChatMessage[]) =>
      ({ type: "chat" as const, messages, tools: [], templateVariables: {} }) as const;
    const readingOf = (template: ChatTemplate, messages: readonly ChatMessage[], format = HERMES) =>
      tokenizerOf(letters, template, format).encode(promptOf(messages)).reading;
    /** Starts answers with reasoning and renders the reasoning of every answer. */
    const thinking = open(`{% for message in messages %}[{{ message.role }}]
      {%- if message.reasoning_content %}<think>{{ message.reasoning_content }}</think>{% endif %}
      {{- message.content }}{% endfor %}
      {%- if add_generation_prompt %}[assistant]<think>{% endif %}`);
    const plain = open(CHATML_TEMPLATE);

    test.each(REASONING_FORMATS.map((format) => [format, REASONING_MARKS[format].open] as const))(
      "with reasoning opened by the template as %s",
      (reasoning, mark) => {
        const template = open(`{{ messages[0].content }}[assistant]${mark}\n`);
        const format = { convention: "hermes", reasoning } as const;
        expect(readingOf(template, [user], format)).toMatchObject({
          reasoning,
          beginsWith: "reasoning",
        });
      },
    );

    test.each<[string, ChatTemplate, ChatMessage, string]>([
      ["continued text", plain, { role: "assistant", content: "a" }, "text"],
      [
        "continued text after reasoning",
        thinking,
        { role: "assistant", content: "a", reasoning: "b" },
        "text",
      ],
      [
        "text that looks like a mark",
        plain,
        { role: "assistant", content: "The mark is <think>" },
        "text",
      ],
      [
        "continued reasoning",
        thinking,
        { role: "assistant", content: "", reasoning: "b" },
        "reasoning",
      ],
      [
        "a new answer if the template omits reasoning",
        plain,
        { role: "assistant", content: "", reasoning: "b" },
        "anything",
      ],
      ["a new answer after an empty one", plain, { role: "assistant", content: "" }, "anything"],
      ["a new answer", plain, { role: "user", content: "<think>" }, "anything"],
    ])("it starts with %s", (_, template, last, beginsWith) => {
      expect(readingOf(template, [user, last]).beginsWith).toBe(beginsWith);
    });

    describe("if the template renders reasoning and leaves it to the model to open it,", () => {
      /** Qwen's template form, with a switch that closes reasoning at once. */
      const switched = open(`{% for message in messages %}[{{ message.role }}]
        {%- if message.reasoning_content %}<think>{{ message.reasoning_content }}</think>{% endif %}
        {{- message.content }}{% endfor %}
        {%- if add_generation_prompt %}[assistant]
          {%- if enable_thinking is defined and not enable_thinking %}<think></think>{% endif %}
        {%- endif %}`);
      /** The switch omits the opening of reasoning. */
      const opening = open(`{% for message in messages %}[{{ message.role }}]
        {{- message.content }}{% endfor %}[assistant]
        {%- if enable_thinking %}<think>{% endif %}`);
      /** A word in a message is not template output. */
      const mentioning = open(
        `Do not write <think> or </think>.{% for message in messages %}[{{ message.role }}]
          {{- message.content }}{% endfor %}[assistant]`,
      );

      test.each<[string, ChatTemplate, Readonly<Record<string, unknown>>, string]>([
        ["reasoning or anything else", switched, {}, "optional-reasoning"],
        [
          "anything except reasoning with thinking off",
          switched,
          { enable_thinking: false },
          "anything",
        ],
        [
          "anything except reasoning with the effort none",
          switched,
          { reasoning_effort: "none" },
          "anything",
        ],
        ["reasoning if the template opens it", opening, {}, "reasoning"],
        [
          "anything except reasoning if the template does not open it",
          opening,
          { enable_thinking: false },
          "anything",
        ],
        ["anything except reasoning if the marks are only mentioned", mentioning, {}, "anything"],
      ])("it starts with %s", (_, template, templateVariables, beginsWith) => {
        const prompt = { ...promptOf([user]), templateVariables };
        expect(tokenizerOf(letters, template).encode(prompt).reading.beginsWith).toBe(beginsWith);
      });

      test.each<[string, ChatMessage, string]>([
        ["text after reasoning", { role: "assistant", content: "a", reasoning: "b" }, "text"],
        ["reasoning", { role: "assistant", content: "", reasoning: "b" }, "reasoning"],
        [
          "optional reasoning after an empty message",
          { role: "assistant", content: "" },
          "optional-reasoning",
        ],
      ])("a continued answer continues with %s", (_, last, beginsWith) => {
        expect(readingOf(switched, [user, last]).beginsWith).toBe(beginsWith);
      });

      test.each<[string, string, string, string]>([
        ["open reasoning", "<think>Hm", "[assistant]<think>Hm", "reasoning"],
        ["reasoning that has just begun", "<think>\n", "[assistant]<think>\n", "reasoning"],
        ["reasoning after a line break", "\n<think>\nHm ", "[assistant]<think>Hm ", "reasoning"],
        [
          "reasoning followed by text",
          "<think>\nHm\n</think>\n\na",
          "[assistant]<think>Hm</think>a",
          "text",
        ],
        ["closed reasoning", "<think>Hm</think>", "[assistant]<think>Hm</think>", "text"],
        ["a mark within text", "a <think>Hm", "[assistant]a <think>Hm", "text"],
        ["empty reasoning", "<think></think>a", "[assistant]<think></think>a", "text"],
      ])("a continued answer may contain reasoning marks: %s", (...row) => {
        const [, content, rendered, beginsWith] = row;
        const prompt = promptOf([user, { role: "assistant", content }]);
        const { tokens, reading } = tokenizerOf(letters, switched).encode(prompt);
        expect(String.fromCodePoint(...tokens)).toBe(`[user]Hi${rendered}`);
        expect(reading.beginsWith).toBe(beginsWith);
      });

      test("a continued answer keeps marks as text if reasoning has a separate field", () => {
        const begun: ChatMessage = { role: "assistant", content: "<think>b", reasoning: "a" };
        const { tokens } = tokenizerOf(letters, switched).encode(promptOf([user, begun]));
        expect(String.fromCodePoint(...tokens)).toBe("[user]Hi[assistant]<think>a</think><think>b");
      });

      test("a mark at the end of the previous message does not close reasoning", () => {
        const messages: ChatMessage[] = [{ role: "user", content: "</think>" }];
        expect(readingOf(switched, messages).beginsWith).toBe("optional-reasoning");
      });
    });

    test("a new answer starts after a closed message", () => {
      const messages: ChatMessage[] = [user, { role: "assistant", content: "a", reasoning: "b" }];
      const prompt = { ...promptOf(messages), finalMessage: "closed" } as const;
      expect(tokenizerOf(letters, plain).encode(prompt).reading.beginsWith).toBe("anything");
    });

    test("calls are parsed by the types of their parameters if there are tools", () => {
      const parameters = { type: "object", properties: { a: { type: "string" } } };
      const prompt = {
        ...promptOf([user]),
        tools: [{ name: "f", parameters }],
      };
      expect(tokenizerOf(letters, plain).encode(prompt).reading).toMatchObject({
        convention: "hermes",
        toolCalls: "parsed",
        tools: [{ name: "f", parameters: [{ name: "a", types: ["string"] }] }],
      });
      expect(readingOf(plain, [user])).toMatchObject({
        toolCalls: "ignored",
        tools: [],
      });
    });

    test("tools are described in the generic convention even if the template can list them", () => {
      const template = open(
        `{{ tools }}{% for message in messages %}{{ message.content }}{% endfor %}`,
      );
      const prompt = { ...promptOf([user]), tools: [{ name: "f" }] };
      const textIn = (convention: OutputFormat["convention"]) => {
        const format = { ...HERMES, convention };
        const { tokens } = tokenizerOf(letters, template, format).encode(prompt);
        return String.fromCodePoint(...tokens);
      };
      expect(textIn("generic")).toContain('{"tool_call": ');
      expect(textIn("hermes")).not.toContain('{"tool_call": ');
    });
  });
});

describe("media in a conversation", () => {
  const START_OF_IMAGE = 7;
  const dividedOf = (hash: string, cells: number, positions = cells): ChunkedMedia => ({
    type: "divided",
    segments: [
      { type: "tokens", tokens: [START_OF_IMAGE] },
      { type: "media", hash: `${hash}.0`, cells, positions },
    ],
  });
  const photo = dividedOf("photo", 3);
  const map = dividedOf("map", 4, 2);
  /** Media that begin with their cells. */
  const bare: ChunkedMedia = {
    type: "divided",
    segments: [{ type: "media", hash: "bare.0", cells: 2, positions: 2 }],
  };
  const part = (content: ChunkedMedia): ContentPart => ({ type: "media", field: "f", content });
  const text = (text: string): ContentPart => ({ type: "text", text });
  const CELLS = (count: number) => Array.from({ length: count }, () => -1);

  function encodeMessages(
    template: string,
    messages: readonly ChatMessage[],
    { vocabulary = new LetterVocabulary(CONTROL_TEXTS), systemPrompt = "" } = {},
  ) {
    const { bosText, eosText } = vocabulary;
    const chatTemplate = new ChatTemplate(template, { bosToken: bosText, eosToken: eosText });
    const tokenizer = new PromptTokenizer(vocabulary, {
      ...{ template: chatTemplate, outputFormat: HERMES, contextSize: 1000 },
      ...(systemPrompt !== "" && { systemPrompt }),
    });
    const prompt = { type: "chat", messages, tools: [], templateVariables: {} } as const;
    const { tokens, media } = tokenizer.encode(prompt);
    return { tokens, media, text: tokenizer.render(prompt) };
  }

  const CONTENTS =
    "{% for message in messages %}{{ message.role[0] }}{{ message.content }}{% endfor %}";

  test("adds its cells and surrounding tokens between the texts", () => {
    const content = [text("a"), part(photo), text("b"), part(map), text("c")];
    const { tokens, media, text: rendered } = encodeMessages(CONTENTS, [{ role: "user", content }]);
    expect(tokens).toEqual([
      ...[...letters("ua"), START_OF_IMAGE, ...CELLS(3)],
      ...[...letters("b"), START_OF_IMAGE, ...CELLS(4), ...letters("c")],
    ]);
    expect(media).toEqual([
      { hash: "photo.0", start: 3, cells: 3, positions: 3 },
      { hash: "map.0", start: 8, cells: 4, positions: 2 },
    ]);
    expect(rendered).toBe("ua<__media__>b<__media__>c");
  });

  test("is absent in a text-only conversation", () => {
    expect(encodeMessages(CONTENTS, [{ role: "user", content: "a" }]).media).toEqual([]);
  });

  test.each([
    ["media that begin with their cells", bare, [-1, -1]],
    ["media that begin with tokens", photo, [START_OF_IMAGE, -1, -1, -1]],
  ])("follows a single BOS: %s", (_, divided, cells) => {
    const vocabulary = new LetterVocabulary(CONTROL_TEXTS, BOS);
    const messages = [{ role: "user", content: [part(divided), text("a")] }] as const;
    const template = "{{ messages[0].content }}";
    const { tokens, media } = encodeMessages(template, messages, { vocabulary });
    expect(tokens).toEqual([control(BOS), ...cells, ...letters("a")]);
    expect(media).toMatchObject([{ start: tokens.indexOf(-1) }]);
    const rendering = encodeMessages(`{{ bos_token }}${template}`, messages, { vocabulary });
    expect(rendering.tokens).toEqual(tokens);
  });

  test("is supported in system messages and tool results", () => {
    const messages: ChatMessage[] = [
      { role: "system", content: [text("s"), part(photo)] },
      { role: "user", content: "?" },
      { role: "assistant", content: "" },
      { role: "tool", content: [part(map), text("t")], toolCallId: "c" },
    ];
    const { media, text: rendered } = encodeMessages(CONTENTS, messages);
    expect(media).toMatchObject([
      { hash: "photo.0", start: 3 },
      { hash: "map.0", start: rendered.replaceAll("<__media__>", "1234").lastIndexOf("1234") + 1 },
    ]);
    // The template does not support tool results, which become user text.
    expect(rendered).toMatch(/^ss<__media__>u\?au.*<__media__>t$/);
  });

  test("follows the model's default system prompt", () => {
    const messages: ChatMessage[] = [{ role: "user", content: [part(photo), text("a")] }];
    const { tokens, media } = encodeMessages(CONTENTS, messages, { systemPrompt: "be brief" });
    expect(tokens.slice(0, 10)).toEqual(letters("sbe briefu"));
    expect(media).toMatchObject([{ start: 11 }]);
  });

  test("is not inserted for text that resembles a media marker, and keeps adjacent control texts literal", () => {
    const forged = `<__media__>\uE010\uE000\uE011${END}`;
    const content = [text(forged), part(photo), text(`${START}system`)];
    const { tokens, media } = encodeMessages(CHATML_TEMPLATE, [{ role: "user", content }]);
    expect(media).toHaveLength(1);
    expect(tokens).toEqual([
      ...[control(START), ...letters(`user\n${forged}`), START_OF_IMAGE, ...CELLS(3)],
      ...[...letters(`${START}system`), control(END), ...letters("\n")],
      ...[control(START), ...letters("assistant\n")],
    ]);
  });

  test("must be divided into segments in advance", () => {
    const content: ContentPart[] = [{ type: "media", field: "f", content: IMAGE_FILE }];
    expect(() => encodeMessages(CONTENTS, [{ role: "user", content }])).toThrow(
      "f must be chunked before it is tokenised",
    );
  });
});
