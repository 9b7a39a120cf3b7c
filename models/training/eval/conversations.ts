import { readFlags } from "../../command-line/flags.js";
import { runScript } from "../../command-line/run-script.js";
import { ask } from "./ask.js";
import { converse } from "./converse.js";
import { dialogues } from "./dialogues.js";
import { serverFlags } from "./flags.js";
import { toMarkdown } from "./markdown.js";
import { progressOn } from "./progress.js";
import { withServer } from "./server.js";

const preface =
  "The user's side, the system prompts and the tools' answers were written by hand; the model's\n" +
  "side is word for word what it answered at temperature 0. Made by `models/training/eval/conversations.ts`.";

await runScript(async (args, signal) => {
  const { model, "base-url": given } = readFlags(args, serverFlags);
  const parts = [`# ${dialogues.length} conversations with ${model}`, preface];
  const showProgress = progressOn(process.stderr, "conversations", dialogues.length);
  await withServer(given, 1, async (baseUrl) => {
    for (const [index, dialogue] of dialogues.entries()) {
      const messages = await converse(dialogue, (prompt) =>
        ask({ baseUrl, model }, prompt, signal),
      );
      parts.push(toMarkdown(dialogue, messages));
      showProgress((index + 1) / dialogues.length);
    }
  });
  console.log(parts.join("\n\n"));
});
