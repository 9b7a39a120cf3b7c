import type { ChatCompletion } from "openai/resources/chat/completions";
import type { GenerationEvent } from "../../core/generation-event.js";
import { type Timings, toTimings, toUsage } from "./usage.js";

/** What every part of one answer repeats. */
export interface CompletionIdentity {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** The alias of the served model. */
  readonly model: string;
  readonly systemFingerprint: string;
}

/** A whole answer; llama-server's clients read `timings`. */
export type Completion = ChatCompletion & { readonly timings: Timings };

/**
 * Collects a generation into one answer.
 * @returns `undefined` when the client has gone.
 * @throws {GgufdError} the error that ended the generation.
 */
export async function toCompletion(
  events: AsyncIterable<GenerationEvent>,
  identity: CompletionIdentity,
): Promise<Completion | undefined> {
  let content = "";
  for await (const event of events) {
    switch (event.type) {
      case "text-delta":
        content += event.text;
        break;
      case "finished":
        return {
          id: identity.id,
          object: "chat.completion",
          created: identity.created,
          model: identity.model,
          system_fingerprint: identity.systemFingerprint,
          choices: [
            {
              index: 0,
              message: { role: "assistant", content, refusal: null },
              logprobs: null,
              finish_reason: event.reason,
            },
          ],
          usage: toUsage(event.usage),
          timings: toTimings(event.usage, event.timings),
        };
      case "failed":
        throw event.error;
      case "cancelled":
        return undefined;
    }
  }
  return undefined;
}
