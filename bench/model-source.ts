import { existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { InputError } from "../models/command-line/input-error.js";
import { generateRandomModel } from "../models/random/generate.js";
import { type ShapeName, shapes } from "../models/random/shapes.js";
import type { ModelPurpose } from "./model-purpose.js";

const root = fileURLToPath(new URL("../", import.meta.url));

/** The source of a model. */
export type ModelSource =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "shipped" }
  | { readonly kind: "random"; readonly shape: ShapeName; readonly tokenizer: string | undefined };

/** Names of the shapes for a purpose. */
function shapesFor(purpose: ModelPurpose): string[] {
  return Object.entries(shapes).flatMap(([name, shape]) => {
    const actual = "purpose" in shape ? shape.purpose : "generate";
    return actual === purpose ? [name] : [];
  });
}

/** Larger files take minutes to write, and are kept; smaller ones follow every change of the generator. */
const MIN_KEPT_BYTES = 2 ** 30;

/** The accepted forms of `--model`. */
export function modelForms(purpose: ModelPurpose): string {
  return `a GGUF file, shipped, or SHAPE[+TOKENIZER] with a shape of ${shapesFor(purpose).join(", ")}`;
}

/**
 * Parses the value of `--model`: `135m` and `15m+qwen2` are models with random weights (speed does
 * not depend on training), `shipped` is the model in this repository.
 * @throws {InputError} when it is neither one of these nor an existing file.
 */
export function parseModelSource(text: string, purpose: ModelPurpose): ModelSource {
  const [shape = "", tokenizer, ...others] = text.split("+");
  if (shapesFor(purpose).includes(shape) && others.length === 0) {
    return { kind: "random", shape: shape as ShapeName, tokenizer };
  }
  if (text === "shipped") return { kind: "shipped" };
  if (existsSync(text)) return { kind: "file", path: text };
  throw new InputError(`--model: expected ${modelForms(purpose)}, got ${JSON.stringify(text)}`);
}

/** The absolute path of a model's file. A random model is generated, in Q8_0, unless a large one exists. */
export function modelFile(source: ModelSource): string {
  if (source.kind === "file") return resolve(source.path);
  if (source.kind === "shipped") return join(root, "models/ggufd-mini.gguf");
  const { shape, tokenizer } = source;
  const folder = join(root, ".cache/models");
  mkdirSync(folder, { recursive: true });
  const name = [shape, tokenizer].filter((part) => part !== undefined).join("+");
  const path = join(folder, `${name}.q8_0.gguf`);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= MIN_KEPT_BYTES) return path;
  const unfinished = `${path}.unfinished`;
  generateRandomModel({ shape, type: "q8_0", seed: 1, path: unfinished, tokenizer });
  renameSync(unfinished, path);
  return path;
}
