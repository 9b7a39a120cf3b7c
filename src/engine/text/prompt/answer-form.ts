import type { TextChatPrompt, TextMessage } from "../../../core/generation-request.js";
import type { PromptEnding } from "../../../core/text-question.js";

/**
 * The texts that a template writes between a question and an answer, determined by rendering
 * probes. Each text begins after the question.
 */
export interface AnswerForm {
  /** Texts up to where an answer begins, with thinking on and off. */
  readonly beginnings: readonly string[];
  /** The text with thinking off, if that makes a difference. */
  readonly beginningWithoutThinking?: string;
  /** Text before an answer without reasoning. */
  readonly beforeText?: string;
  /** Text before the reasoning of an answer. */
  readonly beforeReasoning?: string;
  /** Text between reasoning and answer. */
  readonly betweenReasoningAndText: string;
}

/** Renders a prompt that ends with the final message, or where an answer begins. */
export type RenderEnding = (prompt: TextChatPrompt, ending: PromptEnding) => string | undefined;

const QUESTION = "probe-of-a-question";
const REASONING = "probe-of-reasoning";
const ANSWER = "probe-of-an-answer";
/** Call for templates that show reasoning only before calls. */
const call = { id: "probe0001", name: "probe_of_a_tool", arguments: "{}" };
/**
 * The tag with which models derived from DeepSeek R1 end the prompt; their templates drop earlier
 * reasoning.
 */
const OPEN_TAG = /<think>(\s*)$/;

export function probeAnswerForm(render: RenderEnding): AnswerForm {
  const question: TextMessage = { role: "user", content: QUESTION };
  const renderAfterQuestion = (
    messages: readonly TextMessage[],
    ending: PromptEnding,
    thinking = true,
  ) =>
    render(buildAnswerPrompt([question, ...messages], thinking), ending)
      ?.split(QUESTION)
      .at(-1);

  const [on, off] = [true, false].map((thinking) =>
    renderAfterQuestion([], "beginning of an answer", thinking),
  );
  const beginnings = [on, off].filter((beginning) => beginning !== undefined);
  const plainAnswer = renderAfterQuestion(
    [{ role: "assistant", content: ANSWER }],
    "final message",
  );
  const reasonedAnswer = { role: "assistant", content: ANSWER, reasoning: REASONING } as const;
  const reasonedAnswers: readonly TextMessage[] = [
    reasonedAnswer,
    { ...reasonedAnswer, toolCalls: [call] },
  ];
  return {
    beginnings,
    beginningWithoutThinking: on === off ? undefined : off,
    beforeText: sliceBefore(ANSWER, plainAnswer),
    ...(reasonedAnswers
      .map((answer) => extractReasoningForm(renderAfterQuestion([answer], "final message")))
      .find((form) => form !== undefined) ?? deriveReasoningForm(beginnings)),
  };
}

type ReasoningForm = Pick<AnswerForm, "beforeReasoning" | "betweenReasoningAndText">;

/** Extracts the form from a printed answer with its reasoning, directly followed by its text. */
function extractReasoningForm(printed: string | undefined): ReasoningForm | undefined {
  const [beforeReasoning, afterReasoning] = printed?.split(REASONING) ?? [];
  const betweenReasoningAndText = sliceBefore(ANSWER, afterReasoning);
  if (betweenReasoningAndText === undefined) return undefined;
  const isDirect = !betweenReasoningAndText.includes(call.name);
  return isDirect ? { beforeReasoning, betweenReasoningAndText } : undefined;
}

function buildAnswerPrompt(messages: readonly TextMessage[], thinking: boolean): TextChatPrompt {
  const templateVariables = thinking ? {} : { enable_thinking: false };
  return { type: "chat", messages, tools: [], templateVariables, finalMessage: "closed" };
}

function sliceBefore(text: string, printed: string | undefined): string | undefined {
  return printed?.includes(text) ? printed.split(text)[0] : undefined;
}

/**
 * Derives the form from a tag at the end of the prompt. Reasoning is closed with as much white
 * space as it is opened with.
 */
function deriveReasoningForm([beginning = ""]: readonly string[]): ReasoningForm {
  const space = OPEN_TAG.exec(beginning)?.[1];
  if (space === undefined) return { betweenReasoningAndText: "" };
  return {
    beforeReasoning: beginning,
    betweenReasoningAndText: `${space}</think>${space.repeat(2)}`,
  };
}

/** An assistant message to be continued, in the form that the template receives. */
export interface ContinuedAnswer {
  readonly text: string;
  readonly reasoning: string;
}

/**
 * Builds the prompt for continuing an answer: as the template would have written it, but left open.
 * @param prompt ends where an answer begins
 */
export function appendContinuedAnswer(
  prompt: string,
  { text, reasoning }: ContinuedAnswer,
  form: AnswerForm,
): string {
  const beginning = findBeginning(prompt, form);
  const stem = prompt.slice(0, prompt.length - beginning.length);
  if (reasoning !== "" && form.beforeReasoning !== undefined) {
    const answer = text === "" ? "" : form.betweenReasoningAndText + text;
    return stem + form.beforeReasoning + reasoning + answer;
  }
  return stem + selectPlainPrefix(beginning, form) + text;
}

/** Returns whether a prompt ends as with thinking off, where that makes a difference. */
export function isWithoutThinking(prompt: string, form: AnswerForm): boolean {
  return findBeginning(prompt, form) === form.beginningWithoutThinking;
}

/** Returns the text at the end of a prompt with which an answer begins. */
function findBeginning(prompt: string, { beginnings }: AnswerForm): string {
  return selectLongest(beginnings.filter((beginning) => prompt.endsWith(beginning)));
}

/**
 * Returns the template's text before an answer without reasoning, if it continues the beginning and
 * does not leave reasoning open. Otherwise closes reasoning that the beginning opens.
 */
function selectPlainPrefix(beginning: string, form: AnswerForm): string {
  const { beforeText, beforeReasoning } = form;
  const leavesOpen = beforeText === beginning && opensReasoning(beginning, form);
  if (beforeText?.startsWith(beginning) && !leavesOpen) return beforeText;
  if (beforeReasoning === undefined) return beginning;
  const closedReasoning = beforeReasoning + form.betweenReasoningAndText;
  const isBegun = opensReasoning(beginning, form) || beforeReasoning.startsWith(beginning);
  return isBegun ? closedReasoning : beginning;
}

function opensReasoning(beginning: string, form: AnswerForm): boolean {
  const { beforeReasoning, betweenReasoningAndText } = form;
  if (beforeReasoning === undefined || !beginning.startsWith(beforeReasoning)) return false;
  return !beginning.startsWith(beforeReasoning + betweenReasoningAndText);
}

function selectLongest(texts: readonly string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), "");
}
