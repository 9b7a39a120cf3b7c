import { preview } from "../../validation/preview.js";
import { ModelError } from "../model-error.js";
import { hasTag } from "./gguf-name.js";
import { originOf, type StoredModel } from "./stored-model.js";

/** Maximum number of candidates listed in an error. */
const MAX_CANDIDATES = 8;

/** Names of the places, for output and errors. */
export const placeTitles: Readonly<Record<StoredModel["place"], string>> = {
  pulled: "ggufd",
  folder: "ggufd's folder",
  added: "added",
  "hugging-face": "Hugging Face's cache",
  ollama: "Ollama",
  "lm-studio": "LM Studio",
};

/**
 * Finds a model by the first that matches: the path of its first file, its name, its aliases, its
 * repository with a quantisation that is only a part of the file name (`user/repo:UD-Q4_K_XL`), its
 * name or its aliases ignoring case.
 * @returns `undefined` if there is none
 * @throws {ModelError} `ambiguous`: several models match, which the message lists
 */
export function findModel(models: readonly StoredModel[], name: string): StoredModel | undefined {
  const lower = name.toLowerCase();
  const tests: readonly ((model: StoredModel) => boolean)[] = [
    ({ files }) => files[0].path === name,
    (model) => model.name === name,
    ({ aliases }) => aliases.includes(name),
    (model) => isOfTag(model, name),
    (model) => model.name.toLowerCase() === lower,
    ({ aliases }) => aliases.some((alias) => alias.toLowerCase() === lower),
  ];
  for (const test of tests) {
    const candidates = withoutCopies(models.filter(test));
    if (candidates.length > 1) throw createAmbiguousError(name, candidates);
    if (candidates[0] !== undefined) return candidates[0];
  }
  return undefined;
}

/** Whether a name is `hf:user/repo:TAG`, with a tag that is only a part of the file name. */
function isOfTag(model: StoredModel, name: string): boolean {
  const { repo, tag } = /^(?:hf:)?(?<repo>[^:]+\/[^:]+):(?<tag>[^:]+)$/.exec(name)?.groups ?? {};
  const origin = originOf(model);
  return (
    origin?.kind === "hugging-face" &&
    repo !== undefined &&
    tag !== undefined &&
    // If the model was pulled at a specific revision, the revision is part of this alias.
    model.aliases.includes(repo) &&
    hasTag(origin.file, tag)
  );
}

/** Keeps the first of several copies of a model; ggufd's own folder comes first. */
function withoutCopies(models: readonly StoredModel[]): readonly StoredModel[] {
  const seen = new Set<string>();
  return models.filter((model) => {
    const identity = identityOf(model);
    const isCopy = seen.has(identity);
    seen.add(identity);
    return !isCopy;
  });
}

function identityOf(model: StoredModel): string {
  const origin = originOf(model);
  switch (origin?.kind) {
    case "hugging-face":
      return `${origin.repo}/${origin.file}`;
    case "ollama":
      return `ollama:${origin.name}`;
    default:
      return model.files[0].path;
  }
}

function createAmbiguousError(name: string, candidates: readonly StoredModel[]): ModelError {
  const candidateNames = candidates.slice(0, MAX_CANDIDATES).map((model) => {
    const isUniqueName = candidates.filter((other) => other.name === model.name).length === 1;
    return `${isUniqueName ? model.name : model.files[0].path} (${placeTitles[model.place]})`;
  });
  const more = candidates.length - candidateNames.length;
  const list = [...candidateNames, ...(more === 0 ? [] : [`${more} more`])].join(", ");
  return new ModelError(
    "ambiguous",
    `${preview(name)}: expected an unambiguous name, got one that matches ${list}`,
  );
}
