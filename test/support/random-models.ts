import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Metadata, text, u32 } from "../../models/gguf/metadata.js";
import { writeGguf } from "../../models/gguf/writer.js";
import { generateRandomModel, randomModelContent } from "../../models/random/generate.js";
import { llamaCppModelsFolder } from "../../models/random/llama-cpp-source.js";
import { generateRandomLora } from "../../models/random/lora.js";
import { generateRandomProjector } from "../../models/random/projector.js";
import { type ProjectorName, projectorShapes } from "../../models/random/projector-shapes.js";
import type { ShapeName } from "../../models/random/shapes.js";

/**
 * A small model with random weights, generated in milliseconds. With f32, logits do not depend on
 * the rest of the batch, up to floating-point error.
 */
export function tinyModel(
  type: "f32" | "q8_0" = "f32",
  shape: ShapeName = "tiny",
  seed = 1,
): string {
  const path = pathOf(seed === 1 ? `${shape}.${type}` : `${shape}.${type}.${seed}`);
  generateRandomModel({ shape, type, seed, path });
  return path;
}

/**
 * A LoRA adapter for a small model.
 * @param invocationTokens at which it begins to apply
 */
export function tinyLora(
  seed: number,
  rank = 4,
  shape: ShapeName = "tiny",
  invocationTokens: readonly number[] = [],
): string {
  const path = pathOf(`${shape}.lora-${[seed, rank, ...invocationTokens].join("-")}`);
  generateRandomLora({ path, shape, rank, seed, invocationTokens });
  return path;
}

/** A small model with random weights, and a projector for it. */
export interface ModelWithProjector {
  readonly model: string;
  readonly projector: string;
}

/** A small projector with random weights, and the model that it is for. */
export function modelWithProjector(
  shape: ProjectorName,
  type: "f32" | "q8_0" = "f32",
): ModelWithProjector {
  const projector = pathOf(`${shape}.${type}`);
  generateRandomProjector({ shape, type, seed: 1, path: projector });
  return { model: tinyModel(type, projectorShapes[shape].textModel), projector };
}

/**
 * A small model with random weights, and a real vocabulary.
 * @param tokenizer one of llama.cpp's vocabulary files
 */
export function modelWithTokenizer(tokenizer: string, shape: ShapeName = "tiny"): string {
  const path = pathOf(`${shape}.${tokenizer}`);
  generateRandomModel({ shape, type: "q8_0", seed: 1, tokenizer, path });
  return path;
}

/**
 * Small model with random weights, and the template of a real one.
 * @param template name of one of llama.cpp's test templates
 * @param tokenizer one of llama.cpp's vocabulary files; the random models' own if absent
 */
export function modelWithTemplate(template: string, tokenizer?: string): string {
  const path = pathOf(`${template}.${tokenizer ?? "own"}`);
  const source = join(llamaCppModelsFolder(), "templates", `${template}.jinja`);
  const content = randomModelContent({ shape: "tiny", type: "q8_0", seed: 1, tokenizer });
  const metadata = new Map(content.metadata);
  metadata.set("tokenizer.chat_template", text(readFileSync(source, "utf8")));
  writeGguf(path, { ...content, metadata });
  return path;
}

/**
 * A small model with random weights, and a real vocabulary, for long prompts.
 * @param contextLength tokens
 */
export function modelWithContext(contextLength: number): string {
  const path = pathOf(`tiny.${contextLength}`);
  const content = randomModelContent({ shape: "tiny", type: "q8_0", seed: 1, tokenizer: "gpt-2" });
  const metadata = new Map(content.metadata).set("llama.context_length", u32(contextLength));
  writeGguf(path, { ...content, metadata });
  return path;
}

/** Entries for the tokens of fill-in-the-middle prompts, which are text in the own tokenizer. */
export const infillTokens: Metadata = new Map([
  ["tokenizer.ggml.fim_pre_token_id", u32(506)],
  ["tokenizer.ggml.fim_suf_token_id", u32(507)],
  ["tokenizer.ggml.fim_mid_token_id", u32(508)],
]);

/** A small model with random weights, and further entries in its file. */
export function modelWithMetadata(name: string, entries: Metadata): string {
  const path = pathOf(`tiny.${name}`);
  const content = randomModelContent({ shape: "tiny", type: "f32", seed: 1 });
  writeGguf(path, { ...content, metadata: new Map([...content.metadata, ...entries]) });
  return path;
}

/** Per process, because concurrent test files write the same models. */
const folder = join(tmpdir(), `ggufd-test-models-${process.pid}`);
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

function pathOf(name: string): string {
  mkdirSync(folder, { recursive: true });
  return join(folder, `${name}.gguf`);
}
