import { preview } from "../../validation/preview.js";
import { ModelError } from "../model-error.js";
import { parsePullName } from "../pull/pull-source.js";
import { OLLAMA_REGISTRY } from "../store/ollama-manifest.js";

/**
 * Checks the name of a model to pull. Clients may name models of the Hugging Face hub and of
 * Ollama's registry only, so that they cannot choose which other hosts this server connects to.
 * @throws {ModelError} `invalid_name`
 */
export function expectPullableName(name: string): void {
  const isUrl = /^https?:/i.test(name);
  const source = isUrl ? undefined : parsePullName(name, []);
  const isOtherRegistry = source?.kind === "ollama" && source.reference.host !== OLLAMA_REGISTRY;
  if (source !== undefined && source.kind !== "url" && !isOtherRegistry) return;
  throw new ModelError(
    "invalid_name",
    `${preview(name)}: expected hf:user/repo[:QUANT] or ollama:name[:tag], got ${isUrl ? "a URL" : "another registry"}; use ggufd pull on the server`,
  );
}
