import type { TextService } from "../../../core/text-question.js";
import type { CompletionPlan, CompletionPrompt } from "./translate.js";

/** What the completions of each prompt begin with: nothing, or the prompt, of token ids the text that they stand for. */
export function echoesOf(
  { echo, requests }: CompletionPlan,
  texts: TextService,
): Promise<readonly string[]> {
  return Promise.all(requests.map(({ prompt }) => (echo === "none" ? "" : textOf(prompt, texts))));
}

async function textOf(prompt: CompletionPrompt, texts: TextService): Promise<string> {
  switch (prompt.type) {
    case "text":
      return prompt.text;
    case "infill":
      return prompt.prefix;
    case "tokens": {
      const answer = await texts.ask({ type: "detokenize", tokens: prompt.tokens });
      return answer.type === "text" ? answer.text : "";
    }
  }
}
