import { hasTag } from "../store/gguf-name.js";
import { buildOllamaNames } from "../store/ollama-manifest.js";
import { modifiedMsOf, originOf, type StoredModel } from "../store/stored-model.js";
import { PREFERRED_TAGS } from "./hugging-face-choice.js";
import { type PullSource, toCanonicalName } from "./pull-source.js";

/**
 * Finds the model of a source on this machine, in ggufd's folder or another program's. No source is
 * contacted.
 */
export function findStoredModel(
  models: readonly StoredModel[],
  source: PullSource,
): StoredModel | undefined {
  const name = toCanonicalName(source);
  const [newest] = models
    .filter((model) => model.place === "pulled" && model.sources.includes(name))
    .toSorted((a, b) => modifiedMsOf(b) - modifiedMsOf(a));
  return newest ?? models.find((model) => isSource(model, source));
}

function isSource(model: StoredModel, source: PullSource): boolean {
  const origin = originOf(model);
  switch (source.kind) {
    case "url":
      return origin?.kind === "url" && origin.url === source.url.href;
    case "ollama":
      return origin?.kind === "ollama" && origin.name === buildOllamaNames(source.reference).name;
    case "hugging-face": {
      if (origin?.kind !== "hugging-face" || origin.repo !== source.repo) return false;
      if (source.revision !== undefined && source.revision !== origin.revision) return false;
      // A model pulled at a specific revision does not count as the newest one.
      if (source.revision === undefined && model.name.startsWith(`${origin.repo}@`)) return false;
      const { selection } = source;
      return selection.by === "file"
        ? selection.file === origin.file
        : hasTag(origin.file, selection.by === "tag" ? selection.tag : PREFERRED_TAGS[0]);
    }
  }
}
