import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { InputError } from "../../command-line/input-error.js";
import { elementCount } from "../../gguf/content.js";
import { readJsonFile } from "../json-file.js";

const count = z.int().positive();
const index = z.object({
  config: z.object({
    vocab_size: count,
    width: count,
    layers: count,
    heads: count,
    kv_heads: count,
    feed_forward: count,
    rope_base: z.number(),
    norm_eps: z.number(),
  }),
  tensors: z.array(
    z.object({
      name: z.string(),
      shape: z.array(count),
      offset: z.int().nonnegative().multipleOf(4),
    }),
  ),
});

/** Shape of the network, with the trainer's field names. */
export type NetworkConfig = z.output<typeof index>["config"];

/** Network as the trainer reads and writes it. */
export interface Weights {
  readonly config: NetworkConfig;
  readonly tensors: readonly {
    readonly name: string;
    /** Dimensions in torch's order: rows first. */
    readonly shape: readonly number[];
    readonly values: Float32Array;
  }[];
}

const indexOf = (folder: string): string => join(folder, "weights.json");
const valuesOf = (folder: string): string => join(folder, "weights.bin");

/** Writes weights into a folder: the values as f32 in this machine's byte order, and an index. */
export function writeWeights(folder: string, { config, tensors }: Weights): void {
  let offset = 0;
  const entries = tensors.map(({ name, shape, values }) => {
    const at = offset;
    offset += values.byteLength;
    return { name, shape, offset: at };
  });
  writeFileSync(valuesOf(folder), Buffer.concat(tensors.map(({ values }) => bytesOf(values))));
  const text = JSON.stringify({ config, tensors: entries }, null, 1);
  writeFileSync(indexOf(folder), `${text}\n`);
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/**
 * Reads the weights in a folder.
 * @throws {InputError} if its index or its values do not have the trainer's format
 */
export function readWeights(folder: string): Weights {
  const { config, tensors } = readJsonFile(indexOf(folder), index);
  const bytes = Uint8Array.from(readFileSync(valuesOf(folder))).buffer;
  const wanted = 4 * tensors.reduce((sum, { shape }) => sum + elementCount(shape), 0);
  if (bytes.byteLength !== wanted) {
    throw new InputError(`${valuesOf(folder)}: expected ${wanted} bytes, got ${bytes.byteLength}`);
  }
  for (const { name, shape, offset } of tensors) {
    const last = bytes.byteLength - 4 * elementCount(shape);
    if (offset > last) {
      throw new InputError(
        `${indexOf(folder)}: ${name}: expected an offset of at most ${last}, got ${offset}`,
      );
    }
  }
  return {
    config,
    tensors: tensors.map(({ name, shape, offset }) => ({
      name,
      shape,
      values: new Float32Array(bytes, offset, elementCount(shape)),
    })),
  };
}
