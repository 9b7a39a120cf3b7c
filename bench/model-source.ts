import { existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { InputError } from "../models/command-line/input-error.js";
import { writeF32Twin } from "../models/gguf/f32-twin.js";
import { generateRandomModel } from "../models/random/generate.js";
import { generateRandomLora } from "../models/random/lora.js";
import { generateRandomProjector } from "../models/random/projector.js";
import type { ProjectorName } from "../models/random/projector-shapes.js";
import { type ShapeName, shapes } from "../models/random/shapes.js";
import type { ModelPurpose } from "./model-purpose.js";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Source of a model. */
export type ModelSource =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "shipped"; readonly type: "q8_0" | "f32" }
  | {
      readonly kind: "random";
      readonly shape: ShapeName;
      readonly type: "q8_0" | "f32";
      readonly tokenizer: string | undefined;
    };

/** Names of the shapes for a purpose. */
function shapesFor(purpose: ModelPurpose): string[] {
  return Object.entries(shapes).flatMap(([name, shape]) => {
    const actual = "purpose" in shape ? shape.purpose : "generate";
    return actual === purpose ? [name] : [];
  });
}

/**
 * Minimum size of generated files that are kept, because they take minutes to write; smaller files
 * are regenerated, so that they follow changes of the generator.
 */
const MIN_KEPT_BYTES = 2 ** 30;

/** The accepted forms of `--model`. */
export function modelForms(purpose: ModelPurpose): string {
  return `a GGUF file, shipped, shipped-f32, or SHAPE[-f32][+TOKENIZER] with a shape of ${shapesFor(purpose).join(", ")}`;
}

/**
 * Parses the value of `--model`: `135m` and `15m+qwen2` are models with random weights (speed does
 * not depend on training), and `shipped` is the model in this repository. `15m-f32` and
 * `shipped-f32` are the same models without quantisation: their answers depend so little on the
 * rest of the batch that they can be compared.
 * @throws {InputError} if it is neither one of these nor an existing file
 */
export function parseModelSource(text: string, purpose: ModelPurpose): ModelSource {
  const [shapeAndType = "", tokenizer, ...others] = text.split("+");
  const shape = shapeAndType.replace(/-f32$/, "");
  if (shapesFor(purpose).includes(shape) && others.length === 0) {
    const type = shape === shapeAndType ? "q8_0" : "f32";
    return { kind: "random", shape: shape as ShapeName, type, tokenizer };
  }
  if (text === "shipped") return { kind: "shipped", type: "q8_0" };
  if (text === "shipped-f32") return { kind: "shipped", type: "f32" };
  if (existsSync(text)) return { kind: "file", path: text };
  throw new InputError(`--model: expected ${modelForms(purpose)}, got ${JSON.stringify(text)}`);
}

/**
 * Absolute path of a model's file. Random models, and the shipped model's f32 variant, are
 * generated, unless a large random one already exists.
 * @param seed of random weights
 */
export function modelFile(source: ModelSource, seed = 1): string {
  if (source.kind === "file") return resolve(source.path);
  if (source.kind === "shipped") {
    const shipped = join(root, "models/ggufd-mini.gguf");
    if (source.type === "q8_0") return shipped;
    return generated("ggufd-mini.f32", (path) => writeF32Twin(shipped, path));
  }
  const { shape, type, tokenizer } = source;
  const name = [shape, tokenizer].filter((part) => part !== undefined).join("+");
  return generated(seed === 1 ? `${name}.${type}` : `${name}.${seed}.${type}`, (path) =>
    generateRandomModel({ shape, type, seed, path, tokenizer }),
  );
}

/**
 * Absolute paths of LoRA adapters of rank 16 with random weights, for a random model.
 * @throws {InputError} for any other model
 */
export function adapterFiles(source: ModelSource, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    if (source.kind !== "random") {
      throw new InputError("--model: expected a model with random weights, which has adapters");
    }
    const { shape } = source;
    return generated(`${shape}.lora-${index}`, (path) =>
      generateRandomLora({ path, shape, rank: 16, seed: index + 1 }),
    );
  });
}

/** Projectors by the shape of the text model, whose embedding size the output must match. */
const projectors: Partial<Record<ShapeName, ProjectorName>> = {
  tiny: "pixtral-projector-tiny",
  "15m": "pixtral-projector-15m",
  "135m": "pixtral-projector-135m",
};

/**
 * Absolute path of an image projector with random weights, for a random model.
 * @throws {InputError} for any other model
 */
export function projectorFile(source: ModelSource): string {
  const shape = source.kind === "random" ? projectors[source.shape] : undefined;
  if (shape === undefined) {
    const known = Object.keys(projectors).join(", ");
    throw new InputError(`--model: expected a model that has a projector: ${known}`);
  }
  return generated(`${shape}.q8_0`, (path) =>
    generateRandomProjector({ shape, type: "q8_0", seed: 1, path }),
  );
}

function generated(name: string, write: (path: string) => void): string {
  const folder = join(root, ".cache/models");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.gguf`);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= MIN_KEPT_BYTES) return path;
  const unfinished = `${path}.unfinished`;
  write(unfinished);
  renameSync(unfinished, path);
  return path;
}
