import { parseArgs } from "node:util";

import type { Message } from "../corpus/conversation.js";
import { ask } from "./ask.js";

/** Conversations written by hand; only the side of the user. */
const conversations: readonly { readonly system?: string; readonly says: readonly string[] }[] = [
  { says: ["Good morning! My name is Esther.", "What is 27 + 35?", "And what is my name?", "Bye"] },
  { says: ["hello", "what can you do", "name four vegetables", "thank you"] },
  { says: ["Repeat after me: purple monkeys dance at noon", "Now say it again", "Great!"] },
  {
    system: "You are Captain Irene, a sailor.",
    says: ["Who are you?", "What is the capital of Norway?", "Are you a robot?"],
  },
  {
    says: [
      "Nadia works as a chemist in Tunis. Her dog is called Bolt. Where does Nadia work?",
      "What is the capital of Japan?",
    ],
  },
  { says: ["Write a JSON object with title Blue Whale, pages 210 and author Kate.", "Thanks!"] },
  { says: ["Tell me a story about a badger called Fred.", "That was nice, thank you."] },
  { says: ["What is the opposite of heavy rain?", "Who won the world cup in 1998?", "ok"] },
  { system: "Answer in upper case.", says: ["What colour is snow?", "What comes after Tuesday?"] },
  {
    says: [
      "My dog is called Pickle and my cat is called Smokey.",
      "What is my cat called?",
      "81-19",
    ],
  },
];

const { values } = parseArgs({
  options: {
    "base-url": { type: "string", default: "http://127.0.0.1:8080/v1" },
    model: { type: "string", default: "ggufd-mini" },
  },
});
for (const [index, { system, says }] of conversations.entries()) {
  console.log(`\n## Conversation ${index + 1}\n`);
  if (system !== undefined) console.log(`system: ${system}`);
  const messages: Message[] = [];
  for (const content of says) {
    messages.push({ role: "user", content });
    const answer = await ask(values["base-url"], values.model, {
      skill: "conversation",
      ...(system === undefined ? {} : { system }),
      tools: [],
      thinking: false,
      messages,
      expect: { kind: "no-call" },
    });
    messages.push({ role: "assistant", content: answer.content });
    console.log(`user: ${content}\nmodel: ${answer.content}`);
  }
}
