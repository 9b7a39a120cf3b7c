import type { ReasoningFormat } from "../../../../core/output-format.js";

/** The marks around reasoning. */
export interface ReasoningMarks {
  readonly open: string;
  readonly close: string;
  /** `beginning`: only at the beginning of an answer; later text may merely mention the marks. */
  readonly place: "beginning" | "anywhere";
}

/**
 * The marks of each format. `analysis-channel` is the end of a prompt that opens the channel; in
 * answers, message headers distinguish channels.
 */
export const REASONING_MARKS: Readonly<Record<ReasoningFormat, ReasoningMarks>> = {
  think: { open: "<think>", close: "</think>", place: "beginning" },
  thinking: { open: "<thinking>", close: "</thinking>", place: "beginning" },
  "seed-think": { open: "<seed:think>", close: "</seed:think>", place: "beginning" },
  "minimax-think": { open: "<mm:think>", close: "</mm:think>", place: "beginning" },
  "hunyuan-think": { open: "<think:opensource>", close: "</think:opensource>", place: "beginning" },
  "think-brackets": { open: "[THINK]", close: "[/THINK]", place: "anywhere" },
  "start-thinking": { open: "<|START_THINKING|>", close: "<|END_THINKING|>", place: "anywhere" },
  "thought-channel": { open: "<|channel>thought", close: "<channel|>", place: "anywhere" },
  "think-section": {
    open: "<|open|>think<|sep|>",
    close: "<|close|>think<|sep|>",
    place: "anywhere",
  },
  "think-message": { open: "<|think|>", close: "<|end|>", place: "anywhere" },
  "self-message": { open: " to=self<|message|>", close: "<|eom|>", place: "anywhere" },
  "reasoning-steps": {
    open: "Here are my reasoning steps:",
    close: "[BEGIN FINAL RESPONSE]",
    place: "beginning",
  },
  "analysis-channel": {
    open: "<|channel|>analysis<|message|>",
    close: "<|end|>",
    place: "anywhere",
  },
};

/** Returns whether a prompt ends inside an open reasoning block. */
export function opensReasoning(prompt: string, format: ReasoningFormat): boolean {
  return prompt.trimEnd().endsWith(REASONING_MARKS[format].open);
}

/**
 * Returns whether a prompt ends with closed reasoning, which may be empty.
 * @param headers marks of the answer's text that may follow the reasoning
 */
export function closesReasoning(
  prompt: string,
  format: ReasoningFormat,
  headers: readonly string[] = [],
): boolean {
  const { open, close } = REASONING_MARKS[format];
  const end = prompt.trimEnd();
  if (end.endsWith(close)) return true;
  return headers.some((header) => end.endsWith(open + close + header));
}
