import { basename } from "node:path";

/** Location of a model: a file, or a name that the store resolves. */
export type ModelReference =
  /** Path of the file, or of the first one if the model has several. */
  | { readonly kind: "file"; readonly path: string }
  /** `hf:user/repo:QUANT`, `ollama:name:tag`, a URL, or any other name that the store resolves. */
  | { readonly kind: "name"; readonly name: string };

/** Prefixes of names in the store. */
const STORE_PREFIX = /^(?:hf|ollama|https?):/i;
/** `user/repo:QUANT`, as Hugging Face's models are named. */
const REPOSITORY = /^[\w.-]+\/[\w.-]+:[\w.-]+$/;

/** Classifies a text as a name of the store, by its form, or otherwise as a file. */
export function parseModelReference(text: string): ModelReference {
  const isName = STORE_PREFIX.test(text) || isRepository(text);
  return isName ? { kind: "name", name: text } : { kind: "file", path: text };
}

/** Whether a text names a Hugging Face model with its quantisation. */
export function isRepository(text: string): boolean {
  return REPOSITORY.test(text) && !/\.gguf$/i.test(text);
}

/** Returns the default name of a model in the API. */
export function nameOf(reference: ModelReference): string {
  if (reference.kind === "name") return reference.name;
  return basename(reference.path).replace(/\.gguf$/i, "");
}
