import type { TextChatPrompt, TextMessage } from "../../../core/generation-request.js";

/**
 * What a template writes between a question and an answer, found out by rendering probes. Each text
 * begins after the question.
 */
export interface AnswerForm {
  /** Where an answer is to begin, with thinking on and off. */
  readonly beginnings: readonly string[];
  /** The one with thinking off, if that makes a difference. */
  readonly beginningWithoutThinking?: string;
  /** Before the text of an answer without reasoning. */
  readonly beforeText?: string;
  /** Before the reasoning of an answer. */
  readonly beforeReasoning?: string;
  /** Between reasoning and text. */
  readonly betweenReasoningAndText: string;
}

/** Renders a prompt; the final message is the last thing in it, or an answer is to begin after it. */
export type RenderEnding = (prompt: TextChatPrompt, ending: Ending) => string | undefined;

export type Ending = "final message" | "beginning of an answer";

const QUESTION = "probe-of-a-question";
const REASONING = "probe-of-reasoning";
const ANSWER = "probe-of-an-answer";
/** Some templates show reasoning only before calls. */
const call = { id: "probe0001", name: "probe_of_a_tool", arguments: "{}" };
/** The tag that DeepSeek R1's followers end the prompt with; they drop earlier reasoning. */
const OPEN_TAG = /<think>(\s*)$/;

export function probeAnswerForm(render: RenderEnding): AnswerForm {
  const question: TextMessage = { role: "user", content: QUESTION };
  const behindQuestion = (messages: readonly TextMessage[], ending: Ending, thinking = true) =>
    render(promptOf([question, ...messages], thinking), ending)
      ?.split(QUESTION)
      .at(-1);

  const [on, off] = [true, false].map((thinking) =>
    behindQuestion([], "beginning of an answer", thinking),
  );
  const beginnings = [on, off].filter((beginning) => beginning !== undefined);
  const plain = behindQuestion([{ role: "assistant", content: ANSWER }], "final message");
  const reasoned = { role: "assistant", content: ANSWER, reasoning: REASONING } as const;
  const reasonedAnswers: readonly TextMessage[] = [reasoned, { ...reasoned, toolCalls: [call] }];
  return {
    beginnings,
    beginningWithoutThinking: on === off ? undefined : off,
    beforeText: before(ANSWER, plain),
    ...(reasonedAnswers
      .map((answer) => reasoningForm(behindQuestion([answer], "final message")))
      .find((form) => form !== undefined) ?? openedReasoning(beginnings)),
  };
}

type ReasoningForm = Pick<AnswerForm, "beforeReasoning" | "betweenReasoningAndText">;

/** From an answer that shows its reasoning and, directly after it, its text. */
function reasoningForm(printed: string | undefined): ReasoningForm | undefined {
  const [beforeReasoning, afterReasoning] = printed?.split(REASONING) ?? [];
  const betweenReasoningAndText = before(ANSWER, afterReasoning);
  if (betweenReasoningAndText === undefined) return undefined;
  const isDirect = !betweenReasoningAndText.includes(call.name);
  return isDirect ? { beforeReasoning, betweenReasoningAndText } : undefined;
}

function promptOf(messages: readonly TextMessage[], thinking: boolean): TextChatPrompt {
  const templateVariables = thinking ? {} : { enable_thinking: false };
  return { type: "chat", messages, tools: [], templateVariables, finalMessage: "closed" };
}

function before(text: string, printed: string | undefined): string | undefined {
  return printed?.includes(text) ? printed.split(text)[0] : undefined;
}

/** Reasoning is closed by as much white space as it is opened with. */
function openedReasoning([beginning = ""]: readonly string[]): ReasoningForm {
  const space = OPEN_TAG.exec(beginning)?.[1];
  if (space === undefined) return { betweenReasoningAndText: "" };
  return {
    beforeReasoning: beginning,
    betweenReasoningAndText: `${space}</think>${space.repeat(2)}`,
  };
}

/** An assistant message that is to be continued, in the form that the template gets. */
export interface BegunAnswer {
  readonly text: string;
  readonly reasoning: string;
}

/**
 * The prompt for continuing an answer: as the template would have written it, but left open.
 * @param prompt ends where an answer is to begin
 */
export function withBegunAnswer(
  prompt: string,
  { text, reasoning }: BegunAnswer,
  form: AnswerForm,
): string {
  const beginning = beginningIn(prompt, form);
  const stem = prompt.slice(0, prompt.length - beginning.length);
  if (reasoning !== "" && form.beforeReasoning !== undefined) {
    const answer = text === "" ? "" : form.betweenReasoningAndText + text;
    return stem + form.beforeReasoning + reasoning + answer;
  }
  return stem + beforePlainText(beginning, form) + text;
}

/** Whether a prompt ends as it does with thinking off, where that makes a difference. */
export function isWithoutThinking(prompt: string, form: AnswerForm): boolean {
  return beginningIn(prompt, form) === form.beginningWithoutThinking;
}

/** How the answer begins that a prompt is to be followed by. */
function beginningIn(prompt: string, { beginnings }: AnswerForm): string {
  return longest(beginnings.filter((beginning) => prompt.endsWith(beginning)));
}

/**
 * What the template writes before an answer without reasoning, if that goes on from the beginning and
 * does not leave reasoning open. Otherwise reasoning that the beginning opens is closed.
 */
function beforePlainText(beginning: string, form: AnswerForm): string {
  const { beforeText, beforeReasoning } = form;
  const leavesOpen = beforeText === beginning && opensReasoning(beginning, form);
  if (beforeText?.startsWith(beginning) && !leavesOpen) return beforeText;
  if (beforeReasoning === undefined) return beginning;
  const closed = beforeReasoning + form.betweenReasoningAndText;
  const isBegun = opensReasoning(beginning, form) || beforeReasoning.startsWith(beginning);
  return isBegun ? closed : beginning;
}

function opensReasoning(beginning: string, form: AnswerForm): boolean {
  const { beforeReasoning, betweenReasoningAndText } = form;
  if (beforeReasoning === undefined || !beginning.startsWith(beforeReasoning)) return false;
  return !beginning.startsWith(beforeReasoning + betweenReasoningAndText);
}

function longest(texts: readonly string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), "");
}
