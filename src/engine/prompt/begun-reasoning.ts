import type { ChatPrompt } from "../../core/generation-request.js";
import type { ReasoningFormat } from "../../core/output-format.js";
import { REASONING_MARKS } from "../output/conventions/reasoning.js";
import { begunMessage } from "./chat-template.js";

/**
 * A prompt whose last answer, if it is to be continued, has its reasoning in a field of its own: clients that know
 * no such field write it between the model's marks, and leave it open if it is to go on.
 */
export function withBegunReasoning(prompt: ChatPrompt, format: ReasoningFormat): ChatPrompt {
  const begun = begunMessage(prompt);
  const { open, close } = REASONING_MARKS[format];
  if (begun === undefined || begun.reasoning !== undefined) return prompt;
  const written = begun.content.trimStart();
  if (!written.startsWith(open)) return prompt;
  const answer = separated(written.slice(open.length), close);
  if (answer === undefined) return prompt;
  return { ...prompt, messages: [...prompt.messages.slice(0, -1), { ...begun, ...answer }] };
}

interface SeparatedAnswer {
  readonly reasoning: string;
  readonly content: string;
}

/** @returns `undefined`: there is no reasoning to go on with, nor text behind some */
function separated(written: string, close: string): SeparatedAnswer | undefined {
  const end = written.indexOf(close);
  if (end < 0) {
    const reasoning = written.replace(/^\n(?=.)/s, "");
    return reasoning === "" ? undefined : { reasoning, content: "" };
  }
  const reasoning = written.slice(0, end).trim();
  const content = written.slice(end + close.length).trimStart();
  return reasoning === "" || content === "" ? undefined : { reasoning, content };
}
