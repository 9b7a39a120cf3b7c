import type { z } from "zod";
import { describeIssues } from "../../validation/describe-issues.js";
import { ModelError } from "../model-error.js";
import {
  buildOllamaNames,
  groupLayers,
  MAX_OLLAMA_MANIFEST_BYTES,
  type OllamaLayer,
  ollamaManifest,
  toBlobName,
} from "../store/ollama-manifest.js";
import { RegistryAuthorization } from "./authorization.js";
import type { Inquiry, PlannedFile, PullPlan } from "./pull-plan.js";
import type { OllamaSource } from "./pull-source.js";
import { isLoopback } from "./source-client.js";

/** Media type of manifests, which registries require in `Accept`. */
const MANIFEST_TYPE = "application/vnd.docker.distribution.manifest.v2+json";

/**
 * Plans the pull of a tag from an Ollama registry: the layers of its manifest, by their digests.
 * https://distribution.github.io/distribution/spec/api/
 * @throws {ModelError}
 */
export async function planOllama(
  { reference }: OllamaSource,
  { client, signal }: Inquiry,
): Promise<PullPlan> {
  const { host, namespace, model, tag } = reference;
  const { name, aliases } = buildOllamaNames(reference);
  const scheme = isLoopback(new URL(`https://${host}`).hostname) ? "http" : "https";
  const repository = new URL(`${scheme}://${host}/v2/${namespace}/${model}/`);
  const authorization = new RegistryAuthorization(client, repository);
  const url = new URL(`manifests/${encodeURIComponent(tag)}`, repository);
  const headers = { accept: MANIFEST_TYPE };
  const request = { url, headers, authorization, signal, subject: `ollama:${name}` };
  const { value } = await client.getJson(request, MAX_OLLAMA_MANIFEST_BYTES);
  const manifest = ollamaManifest.safeParse(value);
  if (!manifest.success) throw createUnreadableError(name, manifest.error, value);
  const { models, projectors, adapters, texts } = groupLayers(manifest.data);
  if (models.length === 0) {
    const got = manifest.data.layers.map(({ mediaType }) => mediaType.split(".").at(-1)).join(", ");
    throw new ModelError(
      "invalid_answer",
      `ollama:${name}: expected a model in GGUF, got layers of ${got}`,
    );
  }
  const toPlannedFile = ({ digest, size }: OllamaLayer) => ({
    path: `ollama/blobs/${toBlobName(digest)}`,
    sizeBytes: size,
    sha256: digest.replace("sha256:", ""),
    url: new URL(`blobs/${digest}`, repository),
    authorization,
  });
  const files: readonly PlannedFile[] = [
    ...models.map((layer): PlannedFile => ({ role: "model", ...toPlannedFile(layer) })),
    ...projectors
      .slice(0, 1)
      .map((layer): PlannedFile => ({ role: "projector", ...toPlannedFile(layer) })),
    ...adapters.map((layer): PlannedFile => ({ role: "adapter", ...toPlannedFile(layer) })),
    ...texts.map(
      ({ kind, layer }): PlannedFile => ({ role: "text", kind, ...toPlannedFile(layer) }),
    ),
  ];
  return {
    name,
    aliases,
    manifestKey: `ollama/${host.replace(":", "_")}/${namespace}/${model}/${tag}`,
    // A manifest may list a licence twice.
    files: [...new Map(files.map((one) => [one.path, one])).values()],
    origin: { kind: "ollama", name },
  };
}

function createUnreadableError(name: string, error: z.ZodError, value: unknown): ModelError {
  const [detail] = describeIssues(error, value);
  const reason = `${detail?.field || "manifest"}: ${detail?.reason}`;
  return new ModelError("invalid_answer", `ollama:${name}: ${reason}`, error);
}
