import { z } from "zod";
import type { NamedFiles, OllamaText } from "./stored-model.js";

/** Maximum size of a manifest; typical ones have a kilobyte or two. */
export const MAX_OLLAMA_MANIFEST_BYTES = 1024 * 1024;

const DIGEST = /^sha256:[\da-f]{64}$/;
const layer = z.object({
  mediaType: z.string(),
  digest: z.string().regex(DIGEST, { error: "expected sha256: and 64 hexadecimal digits" }),
  size: z.int().min(0),
});

/** Manifest of an Ollama registry, in version 2 of the registry protocol. */
export const ollamaManifest = z.object({
  schemaVersion: z.literal(2),
  layers: z.array(layer).min(1).max(1000),
});
export type OllamaManifest = Readonly<z.infer<typeof ollamaManifest>>;
export type OllamaLayer = Readonly<z.infer<typeof layer>>;

const PREFIX = "application/vnd.ollama.image.";

/**
 * Layers of a manifest by kind. Unknown kinds are left out, as later versions of Ollama add some.
 */
export interface OllamaLayers {
  readonly models: readonly OllamaLayer[];
  readonly projectors: readonly OllamaLayer[];
  readonly adapters: readonly OllamaLayer[];
  readonly texts: readonly { readonly kind: OllamaText["kind"]; readonly layer: OllamaLayer }[];
}

export function groupLayers({ layers }: OllamaManifest): OllamaLayers {
  const filterByKind = (kind: string) =>
    layers.filter(({ mediaType }) => mediaType === PREFIX + kind);
  const textsOf = (kind: OllamaText["kind"]) =>
    filterByKind(kind).map((one) => ({ kind, layer: one }));
  return {
    models: filterByKind("model"),
    projectors: filterByKind("projector"),
    adapters: filterByKind("adapter"),
    texts: [
      ...textsOf("template"),
      // Early manifests call the template a prompt.
      ...filterByKind("prompt").map((one) => ({ kind: "template" as const, layer: one })),
      ...textsOf("system"),
      ...textsOf("params"),
      ...textsOf("messages"),
      ...textsOf("license"),
    ],
  };
}

/** Returns the file name of a blob, in Ollama's folder and in ggufd's. */
export function toBlobName(digest: string): string {
  return digest.replace(":", "-");
}

/** Default registry and default namespace, which names leave out. */
export const OLLAMA_REGISTRY = "registry.ollama.ai";
export const OLLAMA_LIBRARY = "library";

/** Tag of a model in a registry. */
export interface OllamaReference {
  readonly host: string;
  readonly namespace: string;
  readonly model: string;
  readonly tag: string;
}

/**
 * Formats a reference as Ollama does: `llama3.2:latest`, `user/model:tag`, `host/user/model:tag`.
 */
export function buildOllamaNames({
  host,
  namespace,
  model,
  tag,
}: OllamaReference): Pick<NamedFiles, "name" | "aliases"> {
  const isOfficial = host === OLLAMA_REGISTRY;
  const path = [
    ...(isOfficial ? [] : [host]),
    ...(isOfficial && namespace === OLLAMA_LIBRARY ? [] : [namespace]),
    model,
  ].join("/");
  const name = `${path}:${tag}`;
  const shortNames = tag === "latest" ? [path, `ollama:${path}`] : [];
  return { name, aliases: [`ollama:${name}`, ...shortNames] };
}
