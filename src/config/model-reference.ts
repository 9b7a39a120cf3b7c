import { basename } from "node:path";

/** Where a model is: in a file, or wherever the store has what it knows by a name. */
export type ModelReference =
  /** Of a model in several files, the path of the first one. */
  | { readonly kind: "file"; readonly path: string }
  /** `hf:user/repo:QUANT`, `ollama:name:tag`, a URL, or whatever else the store resolves. */
  | { readonly kind: "name"; readonly name: string };

/** How names of the store begin. */
const STORE_PREFIX = /^(?:hf|ollama|https?):/i;
/** `user/repo:QUANT`, as Hugging Face's models are named. */
const REPOSITORY = /^[\w.-]+\/[\w.-]+:[\w.-]+$/;

/** What a text refers to: a name of the store by its form, otherwise a file. */
export function referenceOf(text: string): ModelReference {
  const isName = STORE_PREFIX.test(text) || isRepository(text);
  return isName ? { kind: "name", name: text } : { kind: "file", path: text };
}

/** Whether a text names a model of Hugging Face with its quantisation. */
export function isRepository(text: string): boolean {
  return REPOSITORY.test(text) && !/\.gguf$/i.test(text);
}

/** The name that a model has in the API if it is given none. */
export function nameOf(reference: ModelReference): string {
  if (reference.kind === "name") return reference.name;
  return basename(reference.path).replace(/\.gguf$/i, "");
}
