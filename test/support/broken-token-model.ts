import { join } from "node:path";
import { readGguf } from "../../models/gguf/reader.js";
import { writeGguf } from "../../models/gguf/writer.js";
import { tinyModel } from "./random-models.js";

/**
 * Tiny model with one token whose embedding is NaN, which makes everything after it NaN, too. The
 * logits of other texts' tokens are unaffected.
 * @param text of the token
 * @returns its file in the folder, and the token
 */
export function brokenTokenModel(folder: string, text: string): { path: string; token: number } {
  const { metadata, tensors } = readGguf(tinyModel());
  const tokens = metadata.get("tokenizer.ggml.tokens") as { readonly values: readonly string[] };
  const token = tokens.values.indexOf(text);
  if (token <= 0) throw new Error(`the vocabulary has no token ${text}`);
  const path = join(folder, "model.gguf");
  writeGguf(path, {
    metadata,
    tensors: tensors.flatMap((tensor) => {
      if (tensor.name !== "token_embd.weight") return [tensor];
      const embedding = {
        ...tensor,
        *rows() {
          const values = Float32Array.from([...tensor.rows()].flatMap((rows) => [...rows]));
          const [rowLength = 0] = tensor.shape;
          yield values.fill(Number.NaN, token * rowLength, (token + 1) * rowLength);
        },
      };
      return [embedding, { ...tensor, name: "output.weight" }];
    }),
  });
  return { path, token };
}
