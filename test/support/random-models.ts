import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateRandomModel } from "../../models/random/generate.js";
import type { ShapeName } from "../../models/random/shapes.js";

/**
 * A small model with random weights, generated in milliseconds. With f32, logits do not depend on
 * the rest of the batch, up to floating-point error.
 */
export function tinyModel(type: "f32" | "q8_0" = "f32", shape: ShapeName = "tiny"): string {
  const folder = join(tmpdir(), "ggufd-test-models");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${shape}.${type}.gguf`);
  generateRandomModel({ shape, type, seed: 1, path });
  return path;
}
