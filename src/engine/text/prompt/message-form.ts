import type { TextChatPrompt, TextMessage } from "../../../core/generation-request.js";

/** The form in which a template reads a conversation, determined by rendering probes. */
export interface MessageForm {
  /** A message's content is a text, or a list of typed parts. */
  readonly content: "text" | "parts";
  /**
   * `merged`: the template has no system messages, so the first one is prepended to the next
   * message.
   */
  readonly systemMessages: "separate" | "merged";
  /**
   * The variable from which the template reads tools. `described`: there is none, and the system
   * message describes them.
   */
  readonly tools: ToolVariable | "described";
  /** Arguments of a tool call: an object (`parsed`), or their JSON text (`text`). */
  readonly toolArguments: "parsed" | "text";
  /**
   * `in-calls`: results belong to the message with the calls (Gemma 4). `as-called`: results are
   * messages without labels, so they must be in the order of the calls (DeepSeek V4).
   */
  readonly toolResults: "messages" | "in-calls" | "as-called";
  /** The field from which the template reads an answer's reasoning. */
  readonly reasoning: ReasoningPlace;
  /** Whether an answer with tool calls may have both text and reasoning. */
  readonly textWithReasonedCalls: "allowed" | "refused";
  /** Whether the model thinks by default. */
  readonly thinking: "on" | "off";
}

/**
 * `tools`: as in OpenAI's API; `xml_tools` (SmolLM3): the functions alone; `functions`
 * (Firefunction): their JSON text.
 */
export type ToolVariable = "tools" | "xml_tools" | "functions";

/** `part`: a typed part of the content. */
type ReasoningPlace = "reasoning_content" | "thinking" | "part";

/** The form that most templates expect. */
export const COMMON_FORM: MessageForm = {
  content: "text",
  systemMessages: "separate",
  tools: "tools",
  toolArguments: "parsed",
  toolResults: "messages",
  reasoning: "reasoning_content",
  textWithReasonedCalls: "allowed",
  thinking: "on",
};

/** A typed part printed verbatim, by a template that does not support such parts. */
const PRINTED_PART = /['"]type['"]: ['"]thinking['"]/;

/**
 * Renders a prompt with messages in a form, up to where the answer begins; returns `undefined` if
 * the template rejects it.
 */
export type RenderProbe = (prompt: TextChatPrompt, form: MessageForm) => string | undefined;

/** Texts that no template prints by itself. */
const TEXT = "probe-of-text";
const OTHER_TEXT = "probe-of-another-text";
const TOOL = "probe_of_a_tool";

const question: TextMessage = { role: "user", content: TEXT };
const tool = {
  name: TOOL,
  description: "A probe",
  parameters: { type: "object", properties: { probe: { type: "string" } } },
};
/** Nine alphanumeric characters, because Mistral's templates reject other ids. */
const CALL_ID = "probe0001";
const call = { id: CALL_ID, name: TOOL, arguments: `{"argument": "${OTHER_TEXT}"}` };
const result: TextMessage = { role: "tool", content: TEXT, toolCallId: CALL_ID, name: TOOL };

/** Determines the form in which a template reads messages by rendering probes. */
export function probeForm(render: RenderProbe): MessageForm {
  const prints = (text: string, form: MessageForm, messages: readonly TextMessage[]) =>
    render(buildMessagePrompt(messages), form)?.includes(text) === true;

  const parts: MessageForm = { ...COMMON_FORM, content: "parts" };
  const isText = prints(TEXT, COMMON_FORM, [question]) || !prints(TEXT, parts, [question]);
  const content = isText ? COMMON_FORM : parts;
  const system: TextMessage = { role: "system", content: OTHER_TEXT };
  const isSeparate = prints(OTHER_TEXT, content, [system, question]);
  const form: MessageForm = { ...content, systemMessages: isSeparate ? "separate" : "merged" };
  return {
    ...form,
    tools: probeTools(render, form),
    toolArguments: printsParsedArguments(render, form) ? "parsed" : "text",
    toolResults: probeResults(render, form),
    ...probeReasoning(render, form),
  };
}

/**
 * Probes whether the model thinks by default. Models whose thinking only changes the system message
 * (Apertus) think in their own form, and only on request.
 */
function probeThinking(render: RenderProbe, form: MessageForm, readsReasoning: boolean) {
  const [on, off] = [true, false].map((thinking) => {
    const templateVariables = { enable_thinking: thinking };
    return render({ ...buildMessagePrompt([question]), templateVariables }, form)
      ?.split(TEXT)
      .at(-1);
  });
  return readsReasoning || on !== off ? "on" : "off";
}

function probeTools(render: RenderProbe, form: MessageForm): MessageForm["tools"] {
  const variables: readonly ToolVariable[] = ["tools", "xml_tools", "functions"];
  const readVariable = variables.find((tools) =>
    render(buildMessagePrompt([question]), { ...form, tools })?.includes(TOOL),
  );
  return readVariable ?? "described";
}

/** The beginning of DeepSeek V4's calls. */
const UNLABELLED_RESULTS = "<｜DSML｜tool_calls>";

function probeResults(render: RenderProbe, form: MessageForm): MessageForm["toolResults"] {
  const callMessage: TextMessage = { role: "assistant", content: "", toolCalls: [call] };
  // The message has no text, so that the text searched for is the result's.
  const emptyQuestion: TextMessage = { role: "user", content: "" };
  const conversation = buildMessagePrompt([emptyQuestion, callMessage, result]);
  const printed = render(conversation, form);
  const embedded = render(conversation, { ...form, toolResults: "in-calls" });
  if (embedded !== printed && embedded?.includes(TEXT)) return "in-calls";
  return printed?.includes(UNLABELLED_RESULTS) ? "as-called" : "messages";
}

function buildMessagePrompt(messages: readonly TextMessage[]): TextChatPrompt {
  return { type: "chat", messages, tools: [tool], templateVariables: {}, finalMessage: "closed" };
}

/** A dictionary printed in Python's form shows that the template expects the arguments' text. */
function printsParsedArguments(render: RenderProbe, form: MessageForm): boolean {
  const callAnswer: TextMessage = { role: "assistant", content: "", toolCalls: [call] };
  const printed = render(buildMessagePrompt([question, callAnswer, result]), form);
  return printed?.includes(OTHER_TEXT) === true && !printed.includes("{'argument'");
}

function probeReasoning(
  render: RenderProbe,
  form: MessageForm,
): Pick<MessageForm, "reasoning" | "textWithReasonedCalls" | "thinking"> {
  const reasonedAnswer = { role: "assistant", content: "", reasoning: OTHER_TEXT } as const;
  const conversations: readonly (readonly TextMessage[])[] = [
    [question, { ...reasonedAnswer, toolCalls: [call] }, result],
    [question, { ...reasonedAnswer, content: TEXT }],
  ];
  const shows = (reasoning: ReasoningPlace) =>
    conversations.some((messages) => {
      const printed = render(buildMessagePrompt(withoutArguments(messages)), {
        ...form,
        reasoning,
      });
      return printed?.includes(OTHER_TEXT) === true && !PRINTED_PART.test(printed);
    });
  const places: readonly ReasoningPlace[] = ["reasoning_content", "thinking", "part"];
  const place = places.find(shows);
  const reasoning = place ?? "reasoning_content";
  const answerWithBoth: TextMessage = { ...reasonedAnswer, content: TEXT, toolCalls: [call] };
  const rendered = render(buildMessagePrompt([question, answerWithBoth, result]), {
    ...form,
    reasoning,
  });
  return {
    reasoning,
    textWithReasonedCalls: rendered === undefined ? "refused" : "allowed",
    thinking: probeThinking(render, form, place !== undefined),
  };
}

/** Empties the arguments of calls, which contain the same probe text as the reasoning. */
function withoutArguments(messages: readonly TextMessage[]): TextMessage[] {
  return messages.map((message) =>
    message.role === "assistant" && message.toolCalls !== undefined
      ? { ...message, toolCalls: message.toolCalls.map((made) => ({ ...made, arguments: "{}" })) }
      : message,
  );
}
