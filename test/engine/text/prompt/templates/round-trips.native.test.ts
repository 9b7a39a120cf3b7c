import { describe, expect, it } from "vitest";
import type { TextChatPrompt, TextMessage } from "../../../../../src/core/generation-request.js";
import type { OutputFormat } from "../../../../../src/core/output-format.js";
import { chooseOutputFormat } from "../../../../../src/engine/text/output/choose-output-format.js";
import { REASONING_MARKS } from "../../../../../src/engine/text/output/conventions/reasoning-marks.js";
import { GeneratedText } from "../../../../../src/engine/text/output/generated-text.js";
import { OutputParser } from "../../../../../src/engine/text/output/output-parser.js";
import { HARMONY_MARKS } from "../../../../../src/engine/text/output/parser/harmony-output.js";
import type { ChatTemplate } from "../../../../../src/engine/text/prompt/chat-template.js";
import { PromptTokenizer } from "../../../../../src/engine/text/prompt/prompt-tokenizer.js";
import { LetterVocabulary } from "../letter-vocabulary.js";
import { bundledTemplate, templateNames } from "./bundled-templates.js";

const tool = {
  name: "plan_trip",
  description: "Plans a trip",
  parameters: {
    type: "object",
    properties: {
      big: { type: "integer" },
      city: { type: "string" },
      days: { type: "array", items: { type: "number" } },
      exact: { type: "number" },
      huge: { type: "number" },
      options: { type: "object" },
      quick: { type: "boolean" },
    },
  },
};
/** Arguments in alphabetical order, since some templates sort them. */
const args =
  '{"big": 1234567890123456789, "city": "Bern \\"B\\"\\n<b>", "days": [1.50, -0], "exact": 1.0, ' +
  '"huge": 1e400, "options": {"a": true}, "quick": false}';

const QUESTION = "Where to?";

/** Templates that omit calls. */
const WITHOUT_CALLS = ["LFM2-8B-A1B", "LFM2.5-Instruct", "ibm-granite-granite-3.3-2B-Instruct"];

/** Control tokens in some files of these models, and text in others. */
const CONTROL_TEXTS = [
  ...HARMONY_MARKS,
  ...["[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "<think>", "</think>", "<tool_call>", "</tool_call>"],
  ...["<|tool_call|>", "<|python_tag|>", "<|tool_call_start|>", "<|tool_call_end|>"],
];

/** Options and surroundings of the call, since some templates render it only in some cases. */
const situations = [{}, { enable_thinking: false }].flatMap((templateVariables) =>
  [undefined, "Hm."].flatMap((reasoning) =>
    ["nothing", "result"].map((behind) => ({ templateVariables, reasoning, behind }) as const),
  ),
);

const promptOf = (messages: readonly TextMessage[], templateVariables: object): TextChatPrompt => ({
  type: "chat",
  messages,
  tools: [tool],
  templateVariables: { ...templateVariables },
});

/** A prompt, and the output with the call in the template's form. */
interface MadeCall {
  readonly prompt: TextChatPrompt;
  readonly output: string;
}

function makeCall(template: ChatTemplate, format: OutputFormat): MadeCall | undefined {
  const id = format.convention === "kimi-k2" ? "functions.plan_trip:0" : "call00001";
  const question: TextMessage = { role: "user", content: QUESTION };
  const result: TextMessage = { role: "tool", content: "ok", toolCallId: id, name: tool.name };
  const render = (prompt: TextChatPrompt) =>
    template.render(
      prompt,
      (text) => text,
      format.convention === "generic" ? "described" : "listed",
    );
  for (const { templateVariables, reasoning, behind } of situations) {
    const toolCalls = [{ id, name: tool.name, arguments: args }];
    const call: TextMessage = { role: "assistant", content: "", reasoning, toolCalls };
    const messages = behind === "result" ? [question, call, result] : [question, call];
    const prompt = promptOf([question], templateVariables);
    const output = outputBehind(
      render(prompt),
      render(promptOf(messages, templateVariables)),
      format,
    );
    if (output?.includes(tool.name)) return { prompt, output };
  }
  return undefined;
}

/**
 * If a template begins reasoning but drops that of earlier turns, the model closes it at once.
 * Command-R's template ends every prompt with instructions; its output is the text after the
 * question.
 */
function outputBehind(asked: string, called: string, { reasoning }: OutputFormat) {
  if (called.startsWith(asked)) return called.slice(asked.length);
  const { open, close } = REASONING_MARKS[reasoning];
  const stem = asked.slice(0, asked.lastIndexOf(open));
  if (asked.includes(open)) {
    return called.startsWith(stem) ? `${close}${called.slice(stem.length)}` : undefined;
  }
  return called.split(QUESTION).at(-1);
}

/** The calls in an output that is generated token by token. */
function callsIn(output: string, parser: OutputParser, vocabulary: LetterVocabulary) {
  const { bytesOf, controlTextOf } = vocabulary;
  const text = new GeneratedText({ bytesOf, controlTextOf, stop: [], minTokens: 0 });
  const parts = vocabulary
    .tokenize(output, "parsed")
    .flatMap((token) => text.push(token).pieces.flatMap((piece) => parser.push(piece)));
  const calls: { name: string; arguments: string }[] = [];
  for (const part of [...parts, ...parser.flush()]) {
    if (part.type === "tool-call-begin") calls.push({ name: part.name, arguments: "" });
    const call = calls.at(-1);
    if (part.type === "tool-call-arguments" && call) call.arguments += part.text;
  }
  return calls;
}

/** White space between values depends on the template. */
const withoutSpace = (json: string) => json.replaceAll(/(?<=[{[:,])\s+|\s+(?=[}\]])/g, "");

describe.each([
  ["text", new LetterVocabulary([])],
  ["control tokens", new LetterVocabulary(CONTROL_TEXTS)],
])("a tool call in a prompt with marks as %s", (_marks, vocabulary) => {
  it.each(templateNames)("is parsed to the original call: %s", (name) => {
    const template = bundledTemplate(name);
    const outputFormat = chooseOutputFormat(template, "auto");
    const made = makeCall(template, outputFormat);
    expect(made === undefined).toBe(WITHOUT_CALLS.includes(name));
    if (made === undefined) return;
    const options = { template, outputFormat, contextSize: 1_000_000 };
    const { reading } = new PromptTokenizer(vocabulary, options).encode(made.prompt);
    const calls = callsIn(made.output, new OutputParser(reading), vocabulary);
    expect(calls.map((call) => ({ ...call, arguments: withoutSpace(call.arguments) }))).toEqual([
      { name: tool.name, arguments: withoutSpace(args) },
    ]);
  });
});
