import { join } from "node:path";
import { kindOf, text } from "../../models/gguf/metadata.js";
import { readGguf } from "../../models/gguf/reader.js";
import { writeGguf } from "../../models/gguf/writer.js";
import { shippedModel } from "./shipped-model.js";

const TEMPLATE_KEY = "tokenizer.chat_template";
const HEADER = '{{- "<|im_start|>assistant\\n" -}}';

/** Writes the shipped model with a template that adds text at the beginning of an answer. */
export function writeModelWithBeginning(folder: string, beginning: string): string {
  const { metadata, tensors } = readGguf(shippedModel);
  const template = metadata.get(TEMPLATE_KEY);
  if (template?.type !== "string") throw new Error(`the template is ${kindOf(template)}`);
  const [before = "", behind, ...others] = template.value.split(HEADER);
  if (behind === undefined || others.length > 0) throw new Error("expected one header");
  const changed = `${before}${HEADER}${beginning}${behind}`;
  const path = join(folder, "reasoning.gguf");
  writeGguf(path, { metadata: new Map([...metadata, [TEMPLATE_KEY, text(changed)]]), tensors });
  return path;
}

/** The first token with a text. */
export function shippedToken(written: string): number {
  const tokens = readGguf(shippedModel).metadata.get("tokenizer.ggml.tokens");
  if (tokens?.type !== "array" || tokens.element !== "string") throw new Error("no tokens");
  const token = tokens.values.indexOf(written);
  if (token < 0) throw new Error(`no token ${written}`);
  return token;
}
