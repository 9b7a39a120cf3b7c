import { inParallel } from "../client/in-parallel.js";
import type { Scenario } from "./scenario.js";
import { promptCacheMeasures, promptCacheMeasureTypes } from "./shared-prefix.js";

const sizes = {
  full: { documents: 8, questions: 64, documentTokens: 1500, questionTokens: 24, maxTokens: 32 },
  quick: { documents: 2, questions: 8, documentTokens: 200, questionTokens: 12, maxTokens: 8 },
} as const;

/** Questions about a few documents, round robin. */
export const rag: Scenario = {
  name: "rag",
  description: "questions about a few long documents, round robin",
  comparison: { kind: "peer" },
  defaults: {
    full: { model: "135m+gpt-2", clients: [16], slots: 16, contextSize: 2048 },
    quick: { model: "tiny", clients: [4], slots: 4, contextSize: 512 },
  },
  measures: promptCacheMeasureTypes,
  targets: [{ measure: "wall", clients: 16, model: "135m+gpt-2", of: "ratio", atMost: 0.6 }],
  async run({ clients, effort, prompts, complete }) {
    const { documents, questions, documentTokens, questionTokens, maxTokens } = sizes[effort];
    const records = await inParallel(questions, clients, (number) => {
      const document = prompts.text(`document ${number % documents}`, documentTokens);
      const question = prompts.text(`question ${number}`, questionTokens);
      return complete({
        messages: [
          { role: "system", content: document },
          { role: "user", content: question },
        ],
        maxTokens,
      });
    });
    return promptCacheMeasures(records);
  },
};
