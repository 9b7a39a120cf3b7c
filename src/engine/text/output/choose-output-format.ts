import type { TextChatPrompt, TextMessage } from "../../../core/generation-request.js";
import {
  type OutputFormat,
  REASONING_FORMATS,
  type ReasoningFormat,
  TOOL_CONVENTIONS,
  type ToolConvention,
  type ToolFormat,
} from "../../../core/output-format.js";
import { StartupError } from "../../../core/startup-error.js";
import type { Convention } from "./conventions/convention.js";
import { CONVENTIONS } from "./conventions/conventions.js";
import { REASONING_MARKS } from "./conventions/reasoning-marks.js";
import { OutputParser } from "./output-parser.js";
import { toReadableTool } from "./readable-tool.js";

/**
 * Renders a conversation with a model's template; returns `undefined` if the template rejects it.
 */
type RenderProbe = (prompt: TextChatPrompt) => string | undefined;

/** The properties of a chat template that determine the model's output format. */
export interface ProbedTemplate {
  /** Whether the template can list tools. */
  readonly listsTools: boolean;
  renderProbe(prompt: TextChatPrompt): string | undefined;
}

/**
 * Determines how a model writes tool calls and reasoning by rendering probes.
 * @param toolFormat overrides the template's convention unless it is `auto`
 * @throws {StartupError} the convention requires a template that lists tools
 */
export function chooseOutputFormat(template: ProbedTemplate, toolFormat: ToolFormat): OutputFormat {
  const render: RenderProbe = (prompt) => template.renderProbe(prompt);
  const convention = toolFormat === "auto" ? chooseConvention(render) : toolFormat;
  if (convention !== "generic" && !template.listsTools) throw createToolListError(convention);
  return { convention, reasoning: chooseReasoning(render, convention) };
}

/** Creates the error for a template that lists no tools, so that the model would write no calls. */
function createToolListError(convention: string): StartupError {
  return new StartupError(
    `--tool-format ${convention}: expected auto or generic, because the model's chat template lists no tools`,
  );
}

const QUESTION = "What does the probe say?";
const TOOL = {
  name: "read_probe",
  description: "Reads the probe",
  parameters: { type: "object", properties: { depth_of_probe: { type: "string" } } },
};
const ARGUMENTS = '{"depth_of_probe": "quite deep"}';
/** Ids that satisfy templates: Mistral's require nine characters, Kimi's contain the name. */
const IDS = ["probe0001", `functions.${TOOL.name}:0`];

const USER: TextMessage = { role: "user", content: QUESTION };

/**
 * Determines the convention of a model's template: the one whose parser finds a call in a
 * conversation that the template has rendered. If the template renders no calls, its instructions
 * to the model decide; without instructions, the convention is the generic one.
 */
export function chooseConvention(render: RenderProbe): ToolConvention {
  return findConventionByCalls(render) ?? findConventionByInstructions(render) ?? "generic";
}

function findConventionByCalls(render: RenderProbe): ToolConvention | undefined {
  for (const id of IDS) {
    const call: TextMessage = {
      role: "assistant",
      content: "",
      toolCalls: [{ id, name: TOOL.name, arguments: ARGUMENTS }],
    };
    const result: TextMessage = { role: "tool", content: "42", toolCallId: id, name: TOOL.name };
    for (const messages of [
      [USER, call],
      [USER, call, result],
    ]) {
      const convention = findCallConvention(renderAnswer(render, messages));
      if (convention !== undefined) return convention;
    }
  }
  return undefined;
}

/**
 * The text after the question, and the length of its prefix shared with a prompt that ends before
 * the answer.
 */
interface Answer {
  readonly text: string;
  readonly header: number;
}

function renderAnswer(render: RenderProbe, messages: readonly TextMessage[]): Answer | undefined {
  const fullAnswer = sliceAfterQuestion(renderWith(render, messages));
  const emptyAnswer = sliceAfterQuestion(renderWith(render, [USER]));
  if (fullAnswer === undefined || emptyAnswer === undefined) return undefined;
  return { text: fullAnswer, header: measureCommonPrefix(fullAnswer, emptyAnswer) };
}

function renderWith(render: RenderProbe, messages: readonly TextMessage[]): string | undefined {
  return render({ type: "chat", messages, tools: [TOOL], templateVariables: {} });
}

function sliceAfterQuestion(rendered: string | undefined): string | undefined {
  const index = rendered?.lastIndexOf(QUESTION) ?? -1;
  return index < 0 ? undefined : rendered?.slice(index + QUESTION.length);
}

function measureCommonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/**
 * Returns the convention that reads the call and leaves the least other text. Calls that are
 * recognised only at the beginning of an answer are searched at every position up to the end of the
 * message header.
 */
function findCallConvention(answer: Answer | undefined): ToolConvention | undefined {
  if (answer === undefined) return undefined;
  const { text, header } = answer;
  const bestConvention = selectBestConvention(text, TOOL_CONVENTIONS);
  if (bestConvention !== undefined) return bestConvention;
  const beginningConventions = TOOL_CONVENTIONS.filter((name) =>
    isBeginningOnly(CONVENTIONS[name]),
  );
  for (let start = header; start > 0; start--) {
    const convention = selectBestConvention(text.slice(start), beginningConventions);
    if (convention !== undefined) return convention;
  }
  return undefined;
}

function isBeginningOnly({ calls }: Convention): boolean {
  return calls !== "harmony" && calls[0]?.place === "beginning";
}

function selectBestConvention(
  text: string,
  candidates: readonly ToolConvention[],
): ToolConvention | undefined {
  return candidates
    .map((name) => ({ name, rest: measureTextOutsideCall(text, name) }))
    .filter(({ rest }) => rest < Number.POSITIVE_INFINITY)
    .toSorted((a, b) => a.rest - b.rest)[0]?.name;
}

/** Returns the length of the text outside the call; Infinity if the call is not read. */
function measureTextOutsideCall(output: string, name: ToolConvention): number {
  const { calls, ...convention } = CONVENTIONS[name];
  const parser = new OutputParser(
    {
      convention: name,
      reasoning: convention.reasoning,
      beginsWith: "anything",
      toolCalls: "parsed",
      tools: [toReadableTool(TOOL)],
    },
    // The first of several syntaxes is the template's own.
    { ...convention, calls: calls === "harmony" ? calls : calls.slice(0, 1) },
  );
  const parts = [...parser.push({ type: "text", text: output }), ...parser.flush()];
  const names = parts.flatMap((part) => (part.type === "tool-call-begin" ? [part.name] : []));
  const args = joinTexts(parts, "tool-call-arguments");
  const isRead = names.length === 1 && names[0] === TOOL.name && isSameJson(args, ARGUMENTS);
  return isRead ? joinTexts(parts, "text").length : Number.POSITIVE_INFINITY;
}

function joinTexts(
  parts: readonly { readonly type: string; readonly text?: string }[],
  type: string,
): string {
  return parts.map((part) => (part.type === type ? (part.text ?? "") : "")).join("");
}

function isSameJson(a: string, b: string): boolean {
  const withoutSpace = (text: string) => text.replaceAll(/(?<=[{:,])\s+|\s+(?=})/g, "");
  return withoutSpace(a) === withoutSpace(b);
}

function findConventionByInstructions(render: RenderProbe): ToolConvention | undefined {
  const prompt = renderWith(render, [USER]);
  if (prompt === undefined) return undefined;
  return TOOL_CONVENTIONS.find((name) =>
    CONVENTIONS[name].instructions?.some((words) => words.every((word) => prompt.includes(word))),
  );
}

const REASONING_QUESTION = "How deep is the probe?";
const THOUGHT = "I have to think about the probe.";
const REASONING_USER: TextMessage = { role: "user", content: REASONING_QUESTION };

/**
 * Determines the format of a model's reasoning: the marks around rendered reasoning; otherwise the
 * mark with which the template begins an answer; otherwise the usual one of the convention.
 */
export function chooseReasoning(render: RenderProbe, convention: ToolConvention): ReasoningFormat {
  return detectReasoning(render) ?? CONVENTIONS[convention].reasoning;
}

/** Returns the format of the reasoning that a template renders; `undefined` if it renders none. */
export function detectReasoning(render: RenderProbe): ReasoningFormat | undefined {
  return findThoughtFormat(render) ?? findBeginningFormat(render);
}

/**
 * Conversations whose reasoning templates keep: before a call. Reasoning of earlier turns is
 * dropped.
 */
const CONVERSATIONS: readonly (readonly TextMessage[])[] = [
  [
    REASONING_USER,
    {
      role: "assistant",
      content: "",
      reasoning: THOUGHT,
      toolCalls: [{ id: "probe0001", name: "read_probe", arguments: "{}" }],
    },
  ],
  [REASONING_USER, { role: "assistant", content: "Deep.", reasoning: THOUGHT }, REASONING_USER],
];

function findThoughtFormat(render: RenderProbe): ReasoningFormat | undefined {
  for (const messages of CONVERSATIONS) {
    const [before = "", after] =
      render({ type: "chat", messages, tools: [], templateVariables: {} })?.split(THOUGHT) ?? [];
    const format = REASONING_FORMATS.find((name) => {
      const { open, close } = REASONING_MARKS[name];
      return before.trimEnd().endsWith(open) && after?.trimStart().startsWith(close);
    });
    if (format !== undefined) return format;
  }
  return undefined;
}

/** Template variables that control reasoning; some templates close it if there is to be little. */
const REASONING_SWITCHES = [
  { enable_thinking: true },
  { enable_thinking: false },
  { reasoning_effort: "minimal" },
] as const;

function findBeginningFormat(render: RenderProbe): ReasoningFormat | undefined {
  for (const templateVariables of REASONING_SWITCHES) {
    const prompt = render({
      type: "chat",
      messages: [REASONING_USER],
      tools: [],
      templateVariables,
    });
    const beginning = prompt?.split(REASONING_QUESTION).at(-1) ?? "";
    const format = REASONING_FORMATS.find((name) => beginning.includes(REASONING_MARKS[name].open));
    if (format !== undefined) return format;
  }
  return undefined;
}
