/** In which form a template reads what a conversation holds; found out by rendering probes. */
export interface MessageForm {
  /** A message's content: a text, or a list of typed parts. */
  readonly content: "text" | "parts";
  /** `merged`: the template has no system messages, so the first is put before the next message. */
  readonly systemMessages: "separate" | "merged";
  /**
   * The variable that the template reads tools from. `described`: it has none, and the system message
   * describes them.
   */
  readonly tools: ToolVariable | "described";
  /** Arguments of a tool call: parsed, or as their JSON text. */
  readonly toolArguments: "parsed" | "text";
  /**
   * `in-calls`: results belong to the message with the calls (Gemma 4). `as-called`: they are messages
   * that the template does not label, so that their order must be that of the calls (DeepSeek V4).
   */
  readonly toolResults: "messages" | "in-calls" | "as-called";
  /** Where the template looks for an answer's reasoning. */
  readonly reasoning: ReasoningPlace;
  /** Whether an answer that calls tools may have both text and reasoning. */
  readonly textBesideReasonedCalls: "allowed" | "refused";
  /** Whether the model thinks unless the client says otherwise. */
  readonly thinking: "on" | "off";
}

/**
 * `tools`: as in OpenAI's API; `xml_tools` (SmolLM3): the functions alone; `functions` (Firefunction):
 * their JSON text.
 */
export type ToolVariable = "tools" | "xml_tools" | "functions";

/** `part`: a typed part of the content. */
export type ReasoningPlace = "reasoning_content" | "thinking" | "part";

/** What most templates expect. */
export const COMMON_FORM: MessageForm = {
  content: "text",
  systemMessages: "separate",
  tools: "tools",
  toolArguments: "parsed",
  toolResults: "messages",
  reasoning: "reasoning_content",
  textBesideReasonedCalls: "allowed",
  thinking: "on",
};
