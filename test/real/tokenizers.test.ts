import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getLlama, type Llama } from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { llamaCppModelsFolder } from "../../models/random/llama-cpp-source.js";
import { readVocabulary, type Vocabulary } from "../../src/engine/llama/vocabulary/vocabulary.js";
import { Detokenizer } from "../../src/engine/output/detokenizer.js";

const folder = llamaCppModelsFolder();
let llama: Llama;
beforeAll(async () => {
  llama = await getLlama({ gpu: false, build: "never", maxThreads: 1 });
});
afterAll(() => llama.dispose());

/** llama.cpp's own examples of a tokenizer: texts and the tokens they have. */
function examples(name: string): (readonly [text: string, tokens: readonly number[]])[] {
  const file = join(folder, `ggml-vocab-${name}.gguf`);
  const texts = readFileSync(`${file}.inp`, "utf8").split("\n__ggml_vocab_test__\n");
  const tokens = readFileSync(`${file}.out`, "utf8").split("\n");
  return texts.map((text, index) => [
    text,
    (tokens[index] ?? "").split(" ").filter(Boolean).map(Number),
  ]);
}

async function withVocabulary(name: string, use: (vocabulary: Vocabulary) => void): Promise<void> {
  const modelPath = join(folder, `ggml-vocab-${name}.gguf`);
  const model = await llama.loadModel({ modelPath, vocabOnly: true });
  use(readVocabulary(model));
  await model.dispose();
}

describe.each(["llama-spm", "gpt-2", "qwen2", "llama-bpe", "phi-3", "gemma-4"])(
  "the vocabulary %s",
  (name) => {
    it("gives the tokens that llama.cpp gives, and their text comes back whole", async () => {
      await withVocabulary(name, (vocabulary) => {
        for (const [text, tokens] of examples(name)) {
          expect(vocabulary.tokenize(text, "literal")).toEqual(tokens);
          const detokenizer = new Detokenizer(vocabulary.bytesOf);
          const streamed = tokens.map((token) => detokenizer.push(token)).join("");
          // SentencePiece puts a space before a text.
          expect([text, ` ${text}`]).toContain(streamed + detokenizer.flush());
        }
      });
    });
  },
);
