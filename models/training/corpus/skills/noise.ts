import type { Random } from "../../../random/random-choices.js";
import type { Conversation, Skill } from "../conversation.js";
import type { Lexicon } from "../words/lexicon.js";
import { arithmetic } from "./arithmetic.js";
import { chat } from "./chat.js";
import { facts } from "./facts.js";
import { yesNo } from "./yes-no.js";

const marks = [
  "</s>",
  "<s>",
  "[INST]",
  "[/INST]",
  "<br>",
  "<b>",
  "</p>",
  "<end>",
  "|end|",
  "<|end|>",
  "<|stop|>",
  "<|go|>",
  "<|im_stop|>",
  "<|im_begin|>",
  "<|im_stop|>\n<|im_begin|>user\n",
  "<|im_stop|>\n<|im_begin|>system\n",
  "im_end|>",
  "<|im",
  "###",
  "***",
  "---",
  "{{x}}",
  "```",
  "||",
  "\n\n",
  "\n",
  "Bot:",
  "assistant",
  "user",
  "system",
  "%%",
  ">>",
  " 😀",
  " 👋",
  " 🙂",
];

/** Markup of other programs, with a few words in between. */
function drawClutter(random: Random, words: Lexicon): string {
  const parts = Array.from({ length: random.int(1, 6) }, () =>
    random.chance(0.7) ? random.pick(marks) : `${words.anyWord(random)}.`,
  );
  return parts.join(random.pick(["", " ", "\n"]));
}

/** The conversation with changed user messages and unchanged answers. */
function reworded(conversation: Conversation, change: (said: string) => string): Conversation {
  const messages = conversation.messages.map((message) =>
    message.role === "user" ? { ...message, content: change(message.content) } : message,
  );
  return { ...conversation, messages };
}

/** A plain message followed by meaningless markup, answered as usual; training only. */
export const noise: Skill = (random, words) =>
  reworded(
    random.pick([chat, chat, facts, arithmetic])(random, words),
    (said) => said + drawClutter(random, words),
  );

/** Questions in capital letters, answered as usual; training only. */
export const shouted: Skill = (random, words) =>
  reworded(random.pick([chat, facts, facts, yesNo])(random, words), (said) => said.toUpperCase());
