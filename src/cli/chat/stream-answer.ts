import { z } from "zod";
import type { DaemonClient } from "../daemon/daemon-client.js";

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** Options of all answers of a conversation. */
export interface AnswerOptions {
  /** Model name; `undefined`: the daemon's first model. */
  readonly model: string | undefined;
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
}

export interface AnswerPiece {
  readonly kind: "reasoning" | "text";
  readonly text: string;
}

/** Answer, possibly interrupted. */
export interface Answer {
  /** Model that answered; `undefined`: nothing has arrived. */
  readonly model: string | undefined;
  readonly text: string;
  readonly reasoning: string;
  /** `undefined`: the answer was interrupted. */
  readonly finishReason: string | undefined;
  /** Usage as reported by the daemon. */
  readonly usage: unknown;
}

/** Fields of a chunk that are used here. */
const chunk = z.object({
  model: z.string(),
  choices: z.array(
    z.object({
      delta: z.object({
        content: z.string().nullish(),
        reasoning_content: z.string().nullish(),
      }),
      finish_reason: z.string().nullish(),
    }),
  ),
  usage: z.unknown(),
});

interface AnswerListener {
  /** Interrupts the answer. */
  readonly signal: AbortSignal;
  readonly onPiece: (piece: AnswerPiece) => void;
}

/**
 * Requests the answer to a conversation from a daemon.
 * @throws {DaemonError}
 */
export async function streamAnswer(
  daemon: DaemonClient,
  messages: readonly ChatMessage[],
  { model, maxTokens, temperature }: AnswerOptions,
  { signal, onPiece }: AnswerListener,
): Promise<Answer> {
  const answer = {
    model: undefined as string | undefined,
    text: "",
    reasoning: "",
    finishReason: undefined as string | undefined,
    usage: undefined as unknown,
  };
  const add = (kind: AnswerPiece["kind"], text: string | null | undefined) => {
    if (!text) return;
    answer[kind] += text;
    onPiece({ kind, text });
  };
  const body = {
    messages,
    ...(model !== undefined && { model }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    stream: true,
    stream_options: { include_usage: true },
  };
  try {
    const chunks = daemon.streamEvents("/v1/chat/completions", body, { schema: chunk, signal });
    for await (const { model, choices, usage } of chunks) {
      answer.model = model;
      if (usage) answer.usage = usage;
      for (const { delta, finish_reason } of choices) {
        add("reasoning", delta.reasoning_content);
        add("text", delta.content);
        if (finish_reason) answer.finishReason = finish_reason;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return answer;
}
