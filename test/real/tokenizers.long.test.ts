import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { llamaCppModelsFolder } from "../../models/random/llama-cpp-source.js";
import type { Backend } from "../../src/engine/native/llama-backend.js";
import { Detokenizer } from "../../src/engine/text/output/generated-text.js";
import { readVocabulary, type Vocabulary } from "../../src/engine/text/vocabulary/vocabulary.js";
import { nativeLibrary } from "../support/native-library.js";

const folder = llamaCppModelsFolder();
let llama: Backend;
beforeAll(async () => {
  llama = await nativeLibrary();
});

/** llama.cpp's test cases for a tokenizer: texts and their tokens. */
function examples(name: string): (readonly [text: string, tokens: readonly number[]])[] {
  const file = join(folder, `ggml-vocab-${name}.gguf`);
  const texts = readFileSync(`${file}.inp`, "utf8").split("\n__ggml_vocab_test__\n");
  const tokens = readFileSync(`${file}.out`, "utf8").split("\n");
  return texts.map((text, index) => [
    text,
    (tokens[index] ?? "").split(" ").filter(Boolean).map(Number),
  ]);
}

type Model = Awaited<ReturnType<Backend["loadModel"]>>;

async function withModel(name: string, use: (model: Model) => void): Promise<void> {
  const modelPath = join(folder, `ggml-vocab-${name}.gguf`);
  const model = await llama.loadModel({ modelPath, vocabOnly: true });
  use(model);
  await model.dispose();
}

function withVocabulary(name: string, use: (vocabulary: Vocabulary) => void): Promise<void> {
  return withModel(name, (model) => use(readVocabulary(model)));
}

describe.each(["llama-spm", "gpt-2", "qwen2", "llama-bpe", "phi-3", "bert-bge", "gemma-4"])(
  "a long text of control tokens with the vocabulary %s",
  // The largest vocabularies take as long to load as a model.
  { timeout: 120_000 },
  (name) => {
    it("gives the same tokens as llama.cpp, which tokenises it at once", async () => {
      await withModel(name, (model) => {
        const { controlTexts, tokenize } = readVocabulary(model);
        const anyPart = fc.constantFrom(
          ...[...controlTexts].slice(0, 20),
          ...["able", " ", "\n", "  x", "é", "🙂", " <", "|", "s>"],
        );
        const anyText = fc.array(anyPart, { minLength: 2_000, maxLength: 4_000 });
        fc.assert(
          fc.property(anyText, (parts) => {
            const text = parts.join("");
            expect(tokenize(text, "parsed")).toEqual([...model.tokenize(text, true)]);
          }),
          { numRuns: 10 },
        );
      });
    });
  },
);

it("a megabyte of control tokens is tokenised", async () => {
  await withVocabulary("qwen2", ({ tokenize }) => {
    const text = "<|im_end|><|endoftext|>".repeat(45_000);
    expect(tokenize(text, "parsed")).toHaveLength(90_000);
  });
});

describe.each(["llama-spm", "gpt-2", "qwen2", "llama-bpe", "phi-3", "gemma-4"])(
  "the vocabulary %s",
  (name) => {
    it("gives the same tokens as llama.cpp, and detokenises them to the same text", async () => {
      await withVocabulary(name, (vocabulary) => {
        for (const [text, tokens] of examples(name)) {
          expect(vocabulary.tokenize(text, "literal")).toEqual(tokens);
          const detokenizer = new Detokenizer(vocabulary.bytesOf);
          const streamed = tokens.map((token) => detokenizer.push(token)).join("");
          // SentencePiece prepends a space.
          expect([text, ` ${text}`]).toContain(streamed + detokenizer.flush());
        }
      });
    });
  },
);
