import type { AssistantMessage, Message } from "../corpus/conversation.js";
import type { Dialogue } from "./dialogues.js";
import type { Prompt } from "./prompts.js";
import { type Answer, parsedCalls } from "./score.js";

/** Maximum number of tool rounds before the next user message. */
const MOST_ROUNDS = 3;

/** Runs a conversation to its end: the user's messages as written, the model's as generated. */
export async function converse(
  { system, thinking = false, tools = [], says }: Dialogue,
  ask: (prompt: Prompt) => Promise<Answer>,
): Promise<Message[]> {
  const messages: Message[] = [];
  const answer = async (): Promise<AssistantMessage> =>
    toMessage(
      await ask({
        skill: "conversation",
        ...(system === undefined ? {} : { system }),
        tools: tools.map(({ tool }) => tool),
        thinking,
        messages,
        expect: { kind: "no-call" },
      }),
    );
  const resultOf = (name: string): string =>
    tools.find(({ tool }) => tool.name === name)?.answer ?? '{"error": "no such tool"}';
  for (const content of says) {
    messages.push({ role: "user", content });
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const message = await answer();
      messages.push(message);
      if (message.calls === undefined) break;
      for (const { name } of message.calls)
        messages.push({ role: "tool", content: resultOf(name) });
    }
  }
  return messages;
}

/**
 * Converts an answer; calls whose arguments are not a JSON object cannot be sent back and stay
 * text.
 */
function toMessage(answer: Answer): AssistantMessage {
  const calls = parsedCalls(answer);
  const broken = calls === undefined ? JSON.stringify(answer.calls) : "";
  return {
    role: "assistant",
    content: answer.content + broken,
    ...(answer.reasoning === "" ? {} : { reasoning: answer.reasoning }),
    ...(calls === undefined || calls.length === 0 ? {} : { calls }),
  };
}
