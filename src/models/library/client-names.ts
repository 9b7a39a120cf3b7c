import { preview } from "../../validation/preview.js";
import { ModelError } from "../model-error.js";
import { parsePullName } from "../pull/pull-source.js";
import { OLLAMA_REGISTRY } from "../store/ollama-manifest.js";

/**
 * A name that a client asks a pull of. Clients name models of the hub and of Ollama's registry: which other hosts this
 * server talks to is not theirs to say.
 * @throws {ModelError} `invalid_name`
 */
export function expectPullableName(name: string): void {
  const isUrl = /^https?:/i.test(name);
  const source = isUrl ? undefined : parsePullName(name, []);
  const isElsewhere = source?.kind === "ollama" && source.reference.host !== OLLAMA_REGISTRY;
  if (source !== undefined && source.kind !== "url" && !isElsewhere) return;
  throw new ModelError(
    "invalid_name",
    `${preview(name)}: expected hf:user/repo[:QUANT] or ollama:name[:tag], got ${isUrl ? "a URL" : "another registry"}; ggufd pull takes it at the server itself`,
  );
}
