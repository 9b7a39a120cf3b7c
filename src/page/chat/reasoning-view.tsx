import { useEffect, useState } from "preact/hooks";
import { Markdown } from "../markdown/markdown.js";
import { beginThinking, endThinking, findThinkingMs, formatThinkingTime } from "./thinking-time.js";
import { type AnswerItem, textOfReasoning } from "./turns.js";

interface ReasoningViewProps {
  readonly item: Extract<AnswerItem, { readonly type: "reasoning" }>;
  /** Whether more of the reasoning will arrive. */
  readonly isStreaming: boolean;
  /** Duration estimated from stored metadata. */
  readonly estimatedMs: number | undefined;
}

const TICK_MS = 1000;

/** Collapsed reasoning of a model, with its duration. */
export function ReasoningView({ item, isStreaming, estimatedMs }: ReasoningViewProps) {
  const { id } = item;
  const [nowMs, setNowMs] = useState(() => performance.now());
  useEffect(() => {
    if (!isStreaming) return;
    beginThinking(id, performance.now());
    const timer = setInterval(() => setNowMs(performance.now()), TICK_MS);
    return () => {
      clearInterval(timer);
    };
  }, [id, isStreaming]);
  useEffect(() => {
    if (!isStreaming) endThinking(id, performance.now());
  }, [id, isStreaming]);
  const time = formatThinkingTime(findThinkingMs(id, nowMs) ?? estimatedMs);
  return (
    <details class="reasoning">
      <summary>{isStreaming ? describeThinking(time) : describeThoughts(time)}</summary>
      <Markdown text={textOfReasoning(item)} />
    </details>
  );
}

function describeThinking(time: string | undefined): string {
  return time === undefined ? "Thinking…" : `Thinking… ${time}`;
}

function describeThoughts(time: string | undefined): string {
  return time === undefined ? "Thoughts" : `Thought for ${time}`;
}
