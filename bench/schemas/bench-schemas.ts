import { existsSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../../models/command-line/input-error.js";
import { llamaCppModelsFolder } from "../../models/random/llama-cpp-source.js";
import { buildGrammarVocabulary, loadVocabulary } from "../../src/engine/grammar-vocabulary.js";
import { type CaseResult, SchemaRunner } from "./run-schemas.js";
import { readSchemaCases } from "./schema-cases.js";

/**
 * Runs MaskBench's procedure over a file of schemas with a real vocabulary.
 * @throws {InputError} naming the flag and the expected value
 */
export async function benchSchemas(
  { data, vocabulary: name }: { readonly data: string; readonly vocabulary: string },
  onProgress: (done: number) => void,
): Promise<readonly CaseResult[]> {
  const path = join(llamaCppModelsFolder(), `ggml-vocab-${name}.gguf`);
  if (!existsSync(path)) {
    throw new InputError(
      `--vocabulary: expected a tokenizer such as qwen2 or llama-bpe, got ${name}`,
    );
  }
  const vocabulary = await loadVocabulary(path);
  const runner = new SchemaRunner(vocabulary, buildGrammarVocabulary(vocabulary));
  const results: CaseResult[] = [];
  for await (const one of readSchemaCases(data)) {
    results.push(runner.run(one));
    onProgress(results.length);
  }
  return results;
}
